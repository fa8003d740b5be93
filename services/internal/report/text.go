package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/bidi"
)

// glyphs knows the characters that every font has.
type glyphs struct {
	fonts  []*sfnt.Font
	buffer sfnt.Buffer
}

func (g *glyphs) add(raw []byte) error {
	font, err := sfnt.Parse(raw)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	g.fonts = append(g.fonts, font)
	return nil
}

// has reports whether every font has the character. Those beyond 16 bits are not written.
func (g *glyphs) has(r rune) bool {
	const last = 0xffff
	return r < last && !slices.ContainsFunc(g.fonts, func(f *sfnt.Font) bool {
		index, err := f.GlyphIndex(&g.buffer, r)
		return err != nil || index == 0
	})
}

// narrow is the space between thousands, at which no line ends.
const narrow = '\u202f'

// unknown replaces characters without a glyph, such as emoji.
const unknown = '□'

// clean returns a text on one line, without characters that are invisible or change how others are written. A row of characters
// without a glyph becomes one sign.
func (g *glyphs) clean(text string) string {
	var out strings.Builder
	var last rune
	for _, r := range strings.ToValidUTF8(text, "�") {
		switch {
		case r != narrow && unicode.IsSpace(r) || unicode.IsControl(r):
			r = ' '
		case unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Variation_Selector):
			continue
		case !g.has(r):
			r = unknown
		}
		if (r == ' ' || r == unknown) && r == last {
			continue
		}
		last = r
		_, _ = out.WriteRune(r)
	}
	return strings.TrimSpace(out.String())
}

// safe returns a line in the order in which it is seen: what is written from right to left is turned around.
func (g *glyphs) safe(line string) string {
	line = g.clean(line)
	var p bidi.Paragraph
	if _, err := p.SetString(line); err != nil {
		return line
	}
	order, err := p.Order()
	if err != nil || order.NumRuns() == 0 {
		return line
	}
	var out strings.Builder
	for i := range order.NumRuns() {
		run := order.Run(i)
		text := run.String()
		if run.Direction() == bidi.RightToLeft {
			text = bidi.ReverseString(text)
		}
		_, _ = out.WriteString(text)
	}
	return out.String()
}

// wrap splits a text into lines that fit. A word that is too long is split; the last line of a text that is cut ends with an
// ellipsis.
func (g *glyphs) wrap(text string, most int, fits func(line string) bool) []string {
	var lines []string
	rest := g.clean(text)
	for rest != "" && len(lines) < most {
		line := g.line(rest, fits)
		rest = strings.TrimLeft(rest[len(line):], " ")
		if rest != "" && len(lines) == most-1 {
			for runes := []rune(line); len(runes) > 0; runes = runes[:len(runes)-1] {
				if line = strings.TrimRight(string(runes), " ") + "…"; fits(line) {
					break
				}
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// line returns the beginning of a text that fits: up to a space if there is one, and at least one character.
func (g *glyphs) line(text string, fits func(string) bool) string {
	if fits(text) {
		return text
	}
	end, space := 0, 0
	for i, r := range text {
		if i > 0 && !fits(text[:i]) {
			break
		}
		if r == ' ' {
			space = i
		}
		end = i
	}
	if space > 0 {
		return text[:space]
	}
	if end == 0 {
		return string([]rune(text)[:1])
	}
	return text[:end]
}
