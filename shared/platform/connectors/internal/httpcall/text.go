package httpcall

import (
	"strings"
	"unicode"
)

// longestToken is far above any network's.
const longestToken = 4096

// Text is what a network wrote, as it may be shown to people: on one line, without control characters and without those
// that turn the direction of what follows, at most so many characters.
func Text(text string, longest int) string {
	runes := []rune(strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, text)))
	return strings.TrimSpace(string(runes[:min(len(runes), longest)]))
}

// Token reports whether a credential that a network gave can be kept and sent: visible ASCII of a sane length.
func Token(text string) bool {
	if text == "" || len(text) > longestToken {
		return false
	}
	for _, r := range text {
		if r <= ' ' || r > '~' {
			return false
		}
	}
	return true
}
