// Package plain removes from texts of others what would control a terminal.
package plain

import (
	"strings"
	"unicode"
)

// Text returns a text without control characters, except for line breaks.
func Text(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r) {
			return r
		}
		return -1
	}, text)
}

// Line is Text as one line.
func Line(text string) string { return strings.Join(strings.Fields(Text(text)), " ") }
