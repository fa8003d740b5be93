package rules

import (
	"regexp"
	"strings"

	"fencepost.internal/shared/platform/rules/textlen"
)

// Token is an element of a text that networks count.
type Token struct {
	Noun string // in the singular
	Func func(string) int
}

// Count returns the number of occurrences in the text.
func (t Token) Count(text string) int { return t.Func(text) }

// The patterns of tokens. Each starts with the allowed preceding character, so that an email address is not a mention
// and an entity such as &#39; is not a hashtag.
var (
	hashtagPattern = regexp.MustCompile(`(?:^|[^\p{L}\p{N}_&])((?:#[\p{L}\p{M}\p{N}_]+)+)`)
	mentionPattern = regexp.MustCompile(`(?:^|[^\p{L}\p{N}_.@])@[A-Za-z0-9_]`)
	cashtagPattern = regexp.MustCompile(`(?i)(?:^|\s)\$[a-z]{1,6}(?:[._][a-z]{1,2})?\b`)
	phonePattern   = regexp.MustCompile(
		`(?:^|[^\p{L}\p{N}/_.-])(?:\+[1-9][0-9]{0,2}[0-9 ().-]{6,}[0-9]|\(?[0-9]{3}\)?[ .-][0-9]{3}[ .-][0-9]{4})(?:$|[^0-9])`)
)

// Hashtags also counts hashtags that follow one another without a space.
func Hashtags() Token {
	return Token{Noun: "hashtag", Func: func(text string) int { return len(HashtagsIn(text)) }}
}

// HashtagsIn returns the ranges of the hashtags, in order.
func HashtagsIn(text string) []textlen.Link {
	var tags []textlen.Link
	for _, run := range hashtagPattern.FindAllStringSubmatchIndex(text, -1) {
		for start := run[2]; start < run[3]; {
			end := run[3]
			if next := strings.IndexByte(text[start+1:end], '#'); next >= 0 {
				end = start + 1 + next
			}
			tags = append(tags, textlen.Link{Start: start, End: end})
			start = end
		}
	}
	return tags
}

// Mentions counts user names after an at sign.
func Mentions() Token {
	return Token{Noun: "mention", Func: func(text string) int { return len(mentionPattern.FindAllStringIndex(text, -1)) }}
}

// Cashtags counts ticker symbols after a dollar sign, as X links them.
func Cashtags() Token {
	return Token{Noun: "cashtag", Func: func(text string) int { return len(cashtagPattern.FindAllStringIndex(text, -1)) }}
}

// Links counts distinct addresses with a protocol.
func Links() Token { return distinct(textlen.Addresses) }

// ThreadsLinks counts distinct addresses as Threads does.
func ThreadsLinks() Token { return distinct(textlen.ThreadsLinks) }

func distinct(links func(string) []textlen.Link) Token {
	return Token{Noun: "different link", Func: func(text string) int {
		seen := make(map[string]bool)
		for _, link := range links(text) {
			seen[text[link.Start:link.End]] = true
		}
		return len(seen)
	}}
}

// PhoneNumbers counts numbers in one of the usual notations, with a country code or in groups.
func PhoneNumbers() Token {
	return Token{
		Noun: "phone number", Func: func(text string) int { return len(phonePattern.FindAllStringIndex(text, -1)) },
	}
}
