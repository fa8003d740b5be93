package linkedinapi

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// reserved contains the characters that are markup in LinkedIn's "little" format unless a backslash precedes them.
const reserved = `\|{}@[]()<>#*_~`

// Elements of the format, at the start of a text.
var (
	hashtagElement  = regexp.MustCompile(`^#[\pL\pM\pN]+`)
	hashtagTemplate = regexp.MustCompile(`^\{hashtag\|\\?[#＃]\|((?:\\.|[^\\|{}@\[\]()<>#*_~])+)\}`)
	mentionElement  = regexp.MustCompile(`^@\[([^\]]*)\]\(urn:li:(?:person|organization):[A-Za-z0-9_-]+\)`)
)

// read returns the visible text of a commentary in the format. As on LinkedIn, the text ends silently at the first
// reserved character that is neither escaped nor part of an element.
func read(commentary string) string {
	var seen strings.Builder
	for rest := commentary; rest != ""; {
		text, length := element(rest)
		if length == 0 {
			break
		}
		seen.WriteString(text)
		rest = rest[length:]
	}
	return seen.String()
}

// element returns the visible text of the first element and the element's length in the format. The length is zero if
// there is no valid element.
func element(rest string) (string, int) {
	if rest[0] == '\\' && len(rest) > 1 && strings.IndexByte(reserved, rest[1]) >= 0 {
		return rest[1:2], len(`\x`)
	}
	if tag := hashtagElement.FindString(rest); tag != "" {
		return tag, len(tag)
	}
	if tag := hashtagTemplate.FindStringSubmatch(rest); tag != nil {
		return "#" + strings.ReplaceAll(tag[1], `\`, ""), len(tag[0])
	}
	if mention := mentionElement.FindStringSubmatch(rest); mention != nil {
		return mention[1], len(mention[0])
	}
	if strings.IndexByte(reserved, rest[0]) >= 0 {
		return "", 0
	}
	_, size := utf8.DecodeRuneInString(rest)
	return rest[:size], size
}

var hashtagInText = regexp.MustCompile(`(^|\s)#([\pL\pM\pN]*\pL[\pL\pM\pN]*)`)

// write encodes visible text in the format, as LinkedIn returns it.
func write(text string) string {
	var out strings.Builder
	at := 0
	for _, tag := range hashtagInText.FindAllStringSubmatchIndex(text, -1) {
		word := text[tag[4]:tag[5]]
		out.WriteString(escape(text[at:tag[3]]) + `{hashtag|\#|` + word + `}`)
		at = tag[5]
	}
	return out.String() + escape(text[at:])
}

var reservedOne = regexp.MustCompile(`[\\|{}@\[\]()<>#*_~]`)

func escape(text string) string { return reservedOne.ReplaceAllString(text, `\$0`) }
