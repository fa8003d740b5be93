// Package plaintext is what is asked of text that people write, wherever they write it: UTF-8, no longer than it may be, and
// nothing in it that is not seen.
package plaintext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line reads a text that stands on one line, of so many characters at most. It returns the text as it is kept; or what is wrong
// with it, in words for its writer that follow the name of the text.
func Line(given string, longest int) (text, fault string) {
	return read(given, longest, OneLine, "contains control characters; give one line of plain text")
}

// Lines is Line for a text that may have several lines.
func Lines(given string, longest int) (text, fault string) {
	return read(given, longest, ManyLines, "contains control characters")
}

func read(given string, longest int, plain func(string) bool, otherwise string) (text, fault string) {
	text = Clean(given)
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

// Clean is the text as it is kept: without the space around it, and with a line feed for each line break.
func Clean(given string) string { return strings.TrimSpace(strings.ReplaceAll(given, "\r\n", "\n")) }

// OneLine reports whether a text has neither control characters nor line breaks, those of Unicode among them.
func OneLine(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) })
}

// ManyLines reports whether a text has no control characters but line feeds and tabs.
func ManyLines(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' })
}
