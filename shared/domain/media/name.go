package media

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// LongestName is the maximum length of an asset's name, in characters.
const LongestName = 255

// LongestAltText is the maximum length of an alternative text, in characters (docs/contract.md, Alternative texts).
const LongestAltText = 1_500

// NameFault returns why a client must not use this name for an asset, or "" if it may. A name is stored unchanged, so
// it must neither imitate another one nor be a path. Its extension need not match the file: CleanName returns the name
// for saving the file.
func NameFault(name string) string {
	switch {
	case !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }):
		return "must have a visible character"
	case strings.ContainsAny(name, `/\`):
		return `must be a name, not a path: / and \ are not allowed`
	case strings.ContainsFunc(name, isMisleading):
		return "must not have control characters, line breaks or characters that change the direction of writing"
	}
	return ""
}

// isMisleading reports whether a character breaks a line, or moves the display of other characters. Direction marks,
// which some scripts need, do neither.
func isMisleading(r rune) bool {
	const leftToRight, rightToLeft, arabic = '\u200E', '\u200F', '\u061C'
	isMark := r == leftToRight || r == rightToLeft || r == arabic
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control) && !isMark
}

// CleanName returns a file name for saving a file, derived from any text such as the name of an asset or the end of a
// URL. It takes the last part of a path without invisible characters, namely control characters and those that change
// the direction of writing (which can display "exe.jpg" for "gpj.exe"), and ensures an extension that matches the
// content type, so that no program misinterprets the file. The result is valid UTF-8, not empty, not hidden, and not
// longer than LongestName. CleanName is idempotent.
//
// Letters are not normalized: a caller that needs composed characters (NFC) composes them first.
func CleanName(name, contentType string) string {
	name = strings.ToValidUTF8(name, "_")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Join(strings.Fields(strings.Map(visible, name)), " ")
	stem, extension := splitName(strings.TrimRight(name, unseen), extensions(contentType))
	stem = trimStem(stem)
	if longest := LongestName - utf8.RuneCountInString(extension); utf8.RuneCountInString(stem) > longest {
		stem = trimStem(string([]rune(stem)[:longest]))
	}
	stem = cmp.Or(stem, "file")
	return stem + extension
}

// visible removes characters without a shape of their own, except joiners, which emoji and some scripts need.
func visible(r rune) rune {
	const joiner, nonJoiner = '\u200D', '\u200C'
	switch {
	case r == joiner, r == nonJoiner, unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return r
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		return -1
	}
	return r
}

// unseen contains the characters that are invisible at the end of a name and therefore trimmed.
const unseen = " .\u200C\u200D"

// trimStem ensures that a name neither is hidden nor ends in invisible characters.
func trimStem(stem string) string { return strings.Trim(stem, unseen) }

// splitName splits a name and replaces an extension that does not match by the first matching one. If there are no
// matching extensions, it removes all extensions.
func splitName(name string, fitting []string) (stem, extension string) {
	stem, extension = cutExtension(name)
	switch {
	case slices.Contains(fitting, strings.ToLower(extension)):
		return stem, extension
	case len(fitting) > 0:
		return stem, fitting[0]
	}
	for extension != "" {
		stem, extension = cutExtension(trimStem(stem))
	}
	return stem, ""
}

func cutExtension(name string) (stem, extension string) {
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 && isExtension(name[dot+1:]) {
		return name[:dot], name[dot:]
	}
	return name, ""
}

// isExtension distinguishes an extension from the end of a sentence or a version: it has 2 to 5 letters and digits, at
// least two of them letters.
func isExtension(text string) bool {
	const shortest, longest = 2, 5
	if len(text) < shortest || len(text) > longest {
		return false
	}
	letters := 0
	for _, b := range []byte(strings.ToLower(text)) {
		switch {
		case 'a' <= b && b <= 'z':
			letters++
		case b < '0' || b > '9':
			return false
		}
	}
	return letters >= shortest
}

// extensions lists the file extensions of the content type, the usual one first. An unknown type has none.
func extensions(contentType string) []string {
	switch contentType {
	case ContentTypeJPEG:
		return []string{".jpg", ".jpeg", ".jpe", ".jfif"}
	case ContentTypePNG:
		return []string{".png"}
	case ContentTypeWebP:
		return []string{".webp"}
	case ContentTypeGIF:
		return []string{".gif"}
	case ContentTypeHEIC:
		return []string{".heic", ".heif", ".hif"}
	case ContentTypeMP4:
		return []string{".mp4", ".m4v"}
	case ContentTypeMOV:
		return []string{".mov", ".qt"}
	case ContentTypeWebM:
		return []string{".webm"}
	case ContentTypeAVIF:
		return []string{".avif"}
	case ContentTypePDF:
		return []string{".pdf"}
	case ContentTypeDOC:
		return []string{".doc"}
	case ContentTypeDOCX:
		return []string{".docx"}
	case ContentTypePPT:
		return []string{".ppt"}
	case ContentTypePPTX:
		return []string{".pptx"}
	default:
		return nil
	}
}
