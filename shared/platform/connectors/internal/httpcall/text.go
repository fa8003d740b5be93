package httpcall

import (
	"strings"
	"unicode"
)

// longestToken is far above the length of any network's token.
const longestToken = 4096

// Text sanitizes a network's text for display: one line, no control characters, no bidirectional controls, and at most
// longest characters.
func Text(text string, longest int) string {
	runes := []rune(strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, text)))
	return strings.TrimSpace(string(runes[:min(len(runes), longest)]))
}

// Token reports whether a credential from a network can be stored and sent: visible ASCII of at most longestToken
// bytes.
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
