package linkedin

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reserved lists the reserved characters of LinkedIn's "little" text format. Each must be escaped with a backslash,
// even where it cannot be markup. LinkedIn truncates a text at the first unescaped one, without an error.
const reserved = `\|{}@[]()<>#*_~`

// escape encodes a text so that readers see it unchanged. Hashtags become LinkedIn hashtags. An @ remains plain text,
// because a name alone does not identify a member.
func escape(text string) string {
	var out strings.Builder
	for at := 0; at < len(text); {
		if word := hashtagAt(text, at); word != "" {
			out.WriteString(`{hashtag|\#|` + strings.ReplaceAll(word, "_", `\_`) + `}`)
			at += len("#") + len(word)
			continue
		}
		if strings.IndexByte(reserved, text[at]) >= 0 { // ASCII, so never part of another character
			out.WriteByte('\\')
		}
		out.WriteByte(text[at])
		at++
	}
	return out.String()
}

// hashtagAt returns the word of the hashtag that starts at the offset, or an empty string if there is none. A number is
// not a hashtag ("#1 of 3"), nor is a # within a word (C#major) or a link.
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

// inWord reports whether the character is part of a hashtag's word. The emoji variation selector is a mark, but not
// part of a word.
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

// unescape returns the displayed text of a text in the little format. An escaped text cannot contain a template by
// accident, because its bars are escaped.
func unescape(commentary string) string {
	return escapedOne.ReplaceAllString(hashtagTemplate.ReplaceAllString(commentary, "$1$2"), "$1")
}
