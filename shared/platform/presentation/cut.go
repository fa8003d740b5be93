package presentation

import (
	"sort"
	"strings"
	"unicode"

	"fencepost.internal/shared/platform/rules"
	"fencepost.internal/shared/platform/rules/textlen"
)

// end returns the offset at which the shown part of the text ends: its length if everything is shown. A text is cut
// between two characters as displayed, and never within one of the ranges. White space before the cut is not shown.
func (c Cut) end(text string, form rules.Text, limit int, whole []textlen.Link) int {
	end := len(text)
	switch {
	case c.Usual && limit > form.Max:
		end = fitting(text, form.Max, form.Count, whole)
	case c.Lines > 0:
		end = c.lines(text, whole)
	case c.At > 0:
		end = fitting(text, c.At, rules.Graphemes(), whole)
	}
	if strings.TrimSpace(text[end:]) == "" {
		return len(text)
	}
	return len(strings.TrimRightFunc(text[:end], unicode.IsSpace))
}

// lines returns the end of the last line that is shown.
func (c Cut) lines(text string, whole []textlen.Link) int {
	width, left, at := c.At/c.Lines, c.Lines, 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		shown := strings.TrimSuffix(line, "\n")
		needs := max(1, (textlen.Graphemes(shown)+width-1)/width)
		if needs > left {
			return at + fitting(shown, left*width, rules.Graphemes(), within(whole, at))
		}
		left, at = left-needs, at+len(line)
		if left == 0 {
			return at
		}
	}
	return at
}

// within returns the ranges with the offset as their origin.
func within(ranges []textlen.Link, origin int) []textlen.Link {
	var moved []textlen.Link
	for _, r := range ranges {
		if r.Start >= origin {
			moved = append(moved, textlen.Link{Start: r.Start - origin, End: r.End - origin})
		}
	}
	return moved
}

// fitting returns the length in bytes of the longest beginning of the text that fits, and ends within none of the ranges.
func fitting(text string, limit int, count rules.Measure, whole []textlen.Link) int {
	if count.Length(text) <= limit {
		return len(text)
	}
	var ends []int
	next := 0
	for _, end := range textlen.Ends(text) {
		for next < len(whole) && whole[next].End <= end {
			next++
		}
		if next == len(whole) || end <= whole[next].Start {
			ends = append(ends, end)
		}
	}
	longer := sort.Search(len(ends), func(i int) bool { return count.Length(text[:ends[i]]) > limit })
	if longer == 0 {
		return 0
	}
	return ends[longer-1]
}
