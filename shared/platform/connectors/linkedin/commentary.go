package linkedin

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A post's text travels in LinkedIn's "little" format: each of the reserved characters must stand behind a backslash, also
// where it could not be taken for markup. LinkedIn cuts a text at the first one that does not, without an error.
const reserved = `\|{}@[]()<>#*_~`

// escape writes a text so that readers see exactly that. Its hashtags become LinkedIn's own; an @ stays one, because a name
// alone does not tell whom it means.
func escape(text string) string {
	var out strings.Builder
	for at := 0; at < len(text); {
		if word := hashtagAt(text, at); word != "" {
			out.WriteString(`{hashtag|\#|` + strings.ReplaceAll(word, "_", `\_`) + `}`)
			at += len("#") + len(word)
			continue
		}
		if strings.IndexByte(reserved, text[at]) >= 0 { // ASCII: never a part of another character
			out.WriteByte('\\')
		}
		out.WriteByte(text[at])
		at++
	}
	return out.String()
}

// hashtagAt is the word of the hashtag that begins there; empty when none does. A number alone is none ("#1 of 3"), and so is
// what stands in a word (C#major) or in a link.
func hashtagAt(text string, at int) string {
	word, isTag := strings.CutPrefix(text[at:], "#")
	if !isTag {
		return ""
	}
	if end := strings.IndexFunc(word, func(r rune) bool { return !inWord(r) }); end >= 0 {
		word = word[:end]
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	if at > 0 && (inWord(before) || strings.ContainsRune(`#&@/\`, before)) || inLink(text[:at]) ||
		!strings.ContainsFunc(word, unicode.IsLetter) {
		return ""
	}
	return word
}

// inWord reports a character of a hashtag's word. The selector that makes an emoji of a character is a mark, but no part of a
// word.
func inWord(r rune) bool {
	const emojiSelector = '\uFE0F'
	return r == '_' || r != emojiSelector && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r))
}

// inLink reports whether the text ends within a link.
func inLink(text string) bool {
	return strings.Contains(text[strings.LastIndexFunc(text, unicode.IsSpace)+1:], "://")
}

var (
	hashtagTemplate = regexp.MustCompile(`\{hashtag\|\\?([#＃])\|((?:\\.|[^\\}])*)\}`)
	escapedOne      = regexp.MustCompile(`\\([\\|{}@\[\]()<>#*_~])`)
)

// unescape is what readers see of a text in the format. No escaped text holds a template: its bars stand behind backslashes.
func unescape(commentary string) string {
	return escapedOne.ReplaceAllString(hashtagTemplate.ReplaceAllString(commentary, "$1$2"), "$1")
}
