package rules

import (
	"regexp"
	"strings"

	"socialpub.internal/shared/platform/rules/textlen"
)

// Token is something in a text that networks count.
type Token struct {
	Noun  string // in the singular
	count func(string) int
}

// Count says how often it stands in the text.
func (t Token) Count(text string) int { return t.count(text) }

// The shapes of tokens. Each begins with what may stand before it, so that an address of mail is no mention and an entity
// such as &#39; no hashtag.
var (
	hashtagPattern = regexp.MustCompile(`(?:^|[^\p{L}\p{N}_&])((?:#[\p{L}\p{M}\p{N}_]+)+)`)
	mentionPattern = regexp.MustCompile(`(?:^|[^\p{L}\p{N}_.@])@[A-Za-z0-9_]`)
	cashtagPattern = regexp.MustCompile(`(?i)(?:^|\s)\$[a-z]{1,6}(?:[._][a-z]{1,2})?\b`)
	phonePattern   = regexp.MustCompile(`(?:^|[^\p{L}\p{N}/_.-])(?:\+[1-9][0-9]{0,2}[0-9 ().-]{6,}[0-9]|\(?[0-9]{3}\)?[ .-][0-9]{3}[ .-][0-9]{4})(?:$|[^0-9])`)
)

// hashtags also counts those that follow one another without a space.
func hashtags() Token {
	return Token{Noun: "hashtag", count: func(text string) int {
		n := 0
		for _, run := range hashtagPattern.FindAllStringSubmatch(text, -1) {
			n += strings.Count(run[1], "#")
		}
		return n
	}}
}

func mentions() Token {
	return Token{Noun: "mention", count: func(text string) int { return len(mentionPattern.FindAllStringIndex(text, -1)) }}
}

// cashtags are ticker symbols after a dollar sign, as X links them.
func cashtags() Token {
	return Token{Noun: "cashtag", count: func(text string) int { return len(cashtagPattern.FindAllStringIndex(text, -1)) }}
}

// links are those with a protocol; the same one twice counts once.
func links() Token {
	return Token{Noun: "different link", count: func(text string) int {
		seen := make(map[string]bool)
		for _, link := range textlen.Links(text) {
			if address := text[link.Start:link.End]; strings.Contains(address, "://") {
				seen[address] = true
			}
		}
		return len(seen)
	}}
}

// phoneNumbers finds what is written in one of the usual ways, with a country code or in groups.
func phoneNumbers() Token {
	return Token{Noun: "phone number", count: func(text string) int { return len(phonePattern.FindAllStringIndex(text, -1)) }}
}
