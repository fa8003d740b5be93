package media

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// LongestName bounds the name of an asset, in characters.
const LongestName = 255

// NameFault says why a client cannot give an asset this name; empty when it can. A name that is given is kept as it is, so it must
// neither look like another one nor be a path. Its extension need not fit the file: CleanName gives the name under which it is saved.
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

// isMisleading reports whether a character breaks a line, or makes others appear in another place. Marks of direction, which some
// scripts need, do neither.
func isMisleading(r rune) bool {
	const leftToRight, rightToLeft, arabic = '\u200E', '\u200F', '\u061C'
	isMark := r == leftToRight || r == rightToLeft || r == arabic
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control) && !isMark
}

// CleanName makes the name under which a file is saved out of any text: the name of an asset, or the end of an address.
// It takes the last part of a path without what nobody sees, namely control characters and those that change the
// direction of writing (a way to make "gpj.exe" out of "exe.jpg"), and sees to an extension that fits the content type,
// so that no program takes the file for something else. The result is valid UTF-8, not empty, not hidden, and not longer
// than LongestName; cleaning it again changes nothing.
//
// Letters stay as they are: a caller that wants them composed (NFC) composes them before.
func CleanName(name, contentType string) string {
	name = strings.ToValidUTF8(name, "_")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Join(strings.Fields(strings.Map(visible, name)), " ")
	stem, extension := splitName(strings.TrimRight(name, unseen), extensions(contentType))
	stem = trimStem(stem)
	if longest := LongestName - utf8.RuneCountInString(extension); utf8.RuneCountInString(stem) > longest {
		stem = trimStem(string([]rune(stem)[:longest]))
	}
	if stem == "" {
		stem = "file"
	}
	return stem + extension
}

// visible drops what has no shape of its own, except what joins characters to one: emoji and some scripts need that.
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

// unseen is what no name ends in: nobody sees it there.
const unseen = " .\u200C\u200D"

// trimStem leaves neither a hidden name nor one that ends in what no one sees.
func trimStem(stem string) string { return strings.Trim(stem, unseen) }

// splitName takes a name apart and puts the first of the fitting extensions in place of one that does not fit. Where none
// fits, none is left.
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

// isExtension tells an extension from the end of a sentence or a version: it is of 2 to 5 letters and digits, and has two
// letters at least.
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

// extensions lists the extensions that files of the type have, the usual one first. A file of no known type has none.
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
	case ContentTypePDF:
		return []string{".pdf"}
	default:
		return nil
	}
}
