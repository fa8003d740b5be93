// Package plaintext validates what users write: text, which must be UTF-8, respect a maximum length, and contain no control
// characters except line breaks and tabs where they are allowed; and addresses of the web.
package plaintext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line validates a single-line text of at most longest characters. It returns either the normalized text, or a message
// about the fault that continues a sentence starting with the text's name.
func Line(given string, longest int) (text, fault string) {
	return read(strings.TrimSpace(given), longest, OneLine, "contains control characters; send one line of plain text")
}

// Lines is like Line for a text that may have several lines.
func Lines(given string, longest int) (text, fault string) {
	return read(Clean(given), longest, ManyLines, "contains control characters")
}

func read(text string, longest int, plain func(string) bool, otherwise string) (_, fault string) {
	switch length := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		return "", "is not UTF-8 text"
	case length > longest:
		return "", fmt.Sprintf("has %d characters; at most %d are allowed", length, longest)
	case !plain(text):
		return "", otherwise
	}
	return text, ""
}

// Clean returns the text without leading and trailing space, and with a line feed for each line break.
func Clean(given string) string { return strings.TrimSpace(lineBreaks.Replace(given)) }

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Normalize returns a text as it is stored, wherever it enters (docs/contract.md, Texts): with a line feed for each CR
// LF and CR, and without control characters except line feeds and tabs. Text that is not UTF-8 is returned unchanged.
func Normalize(given string) string {
	if ManyLines(given) || !utf8.ValidString(given) {
		return given
	}
	return strings.Map(func(r rune) rune {
		if foreign(r) {
			return -1
		}
		return r
	}, lineBreaks.Replace(given))
}

// OneLine reports whether a text has neither control characters nor line breaks, including those of Unicode, nor
// characters that change the direction of the text after them, so that it cannot change how the words beside it read.
func OneLine(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
	})
}

// ManyLines reports whether a text has no control characters except line feeds and tabs.
func ManyLines(text string) bool { return !strings.ContainsFunc(text, foreign) }

func foreign(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
