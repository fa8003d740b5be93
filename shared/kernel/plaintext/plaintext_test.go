package plaintext_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/plaintext"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	const oneLine = "contains control characters; send one line of plain text"
	for name, c := range map[string]struct{ given, line, lineFault, lines, linesFault string }{
		"empty":           {},
		"blank":           {given: " \t\r\n\u00a0"},
		"trimmed":         {given: " é <b>&\n", line: "é <b>&", lines: "é <b>&"},
		"line breaks":     {given: "a\r\n\tb\nc", lineFault: oneLine, lines: "a\n\tb\nc"},
		"carriage return": {given: "a\rb", lineFault: oneLine, lines: "a\nb"},
		"line separator":  {given: "a\u2028b", lineFault: oneLine, lines: "a\u2028b"},
		"paragraph":       {given: "a\u2029b", lineFault: oneLine, lines: "a\u2029b"},
		"escape sequence": {given: "a\x1b[31m", lineFault: oneLine, linesFault: "contains control characters"},
		"zero":            {given: "a\x00", lineFault: oneLine, linesFault: "contains control characters"},
		"of C1":           {given: "a\u0085b", lineFault: oneLine, linesFault: "contains control characters"},
		"no UTF-8":        {given: "a\xff", lineFault: "is not UTF-8 text", linesFault: "is not UTF-8 text"},
		"longest":         {given: strings.Repeat("é", 10), line: strings.Repeat("é", 10), lines: strings.Repeat("é", 10)},
		"too long": {
			given: strings.Repeat("é", 11), lineFault: "has 11 characters; at most 10 are allowed",
			linesFault: "has 11 characters; at most 10 are allowed",
		},
	} {
		text, fault := plaintext.Line(c.given, 10)
		require.Equal(t, c.line, text, name)
		require.Equal(t, c.lineFault, fault, name)
		text, fault = plaintext.Lines(c.given, 10)
		require.Equal(t, c.lines, text, name)
		require.Equal(t, c.linesFault, fault, name)
	}
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"": "", "é\n\tb": "é\n\tb", "a\r\nb\rc\r\r\n": "a\nb\nc\n\n", "\x00a\x1b\x7f\u0085b\u2028": "ab\u2028",
		"a\r\xff": "a\r\xff",
	} {
		require.Equal(t, want, plaintext.Normalize(given), "%q", given)
	}
}

// FuzzTexts checks that normalized text is plain, and is accepted unchanged.
func FuzzTexts(f *testing.F) {
	for _, given := range []string{
		"", " a\r\n\tb ", "a\u2028b", "\xff", "a\r\r\n", "\u0085a\u0085", strings.Repeat("é", 11),
	} {
		f.Add(given)
	}
	f.Fuzz(func(t *testing.T, given string) {
		for _, read := range []func(string, int) (string, string){plaintext.Line, plaintext.Lines} {
			text, fault := read(given, 10)
			if fault != "" {
				require.Empty(t, text)
				continue
			}
			require.True(t, utf8.ValidString(text) && plaintext.ManyLines(text))
			require.LessOrEqual(t, utf8.RuneCountInString(text), 10)
			again, fault := read(text, 10)
			require.Empty(t, fault)
			require.Equal(t, text, again)
		}
	})
}
