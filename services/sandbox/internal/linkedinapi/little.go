package linkedinapi

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// reserved are the characters that LinkedIn's "little" format takes for markup unless a backslash stands before them.
const reserved = `\|{}@[]()<>#*_~`

// Elements of the format, at the beginning of a text.
var (
	hashtagElement  = regexp.MustCompile(`^#[\pL\pM\pN]+`)
	hashtagTemplate = regexp.MustCompile(`^\{hashtag\|\\?[#＃]\|((?:\\.|[^\\|{}@\[\]()<>#*_~])+)\}`)
	mentionElement  = regexp.MustCompile(`^@\[([^\]]*)\]\(urn:li:(?:person|organization):[A-Za-z0-9_-]+\)`)
)

// read is what people see of a text in the format. It ends, without a word, at the first reserved character that is neither
// escaped nor part of an element, as it does on LinkedIn.
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

// element is what people see of the first element, and its length in the format; zero when there is none.
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

// write puts what people see into the format, as LinkedIn gives it back.
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
