package rules

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules/textlen"
)

// TextLength is the length of a post's text as its network counts it.
type TextLength struct {
	Used int
	Max  int    // zero: the post has no text on the network
	Unit string // the counted unit, in the singular
	// Unsure reports that the network may take a longer text, so that it is only warned about.
	Unsure bool
	// Fits is the number of bytes of the text that the network would show; all of it, unless the text is too long.
	Fits int
	// Short is a text that fits, and ends with the link of the text; empty unless the text is too long.
	Short string
	// Unlinked is the text without its links, if it is too long only with them; empty otherwise.
	Unlinked string
}

// Over returns by how much the text is too long; zero if it is not.
func (l TextLength) Over() int { return max(0, l.Used-l.Max) }

// TextLength measures the text of a post, a reply or a comment by the rules that Check applies to it. It returns false for a type that cannot be
// published to.
func (t Table) TextLength(kind channel.Type, content platform.Content) (TextLength, bool) {
	row, ok := t.of(kind, content)
	if !ok {
		return TextLength{}, false
	}
	c := checker{row: row, content: content}
	c.contentType()
	rule := c.form.Text
	if rule.Dropped {
		return TextLength{Unit: rule.Count.Unit, Fits: len(content.Text)}, true
	}
	length := func(text string) int { return rule.length(text, content.Options) }
	l := TextLength{
		Used: length(content.Text), Max: rule.limit(content.Options), Unit: rule.Count.Unit, Unsure: rule.Unsure,
		Fits: len(content.Text),
	}
	if l.Used > l.Max {
		l.Fits = fitting(content.Text, func(part string) bool { return length(part) <= l.Max })
		l.Short = shorten(content.Text, func(text string) bool { return length(text) <= l.Max })
		if text, links := Unlinked(content.Text); links > 0 && length(text) <= l.Max {
			l.Unlinked = text
		}
	}
	return l, true
}

// Titled reports whether the network shows the title of a post beside its text.
func (t Table) Titled(kind channel.Type, content platform.Content) bool {
	row, ok := t.Of(kind)
	if !ok {
		return false
	}
	c := checker{row: row, content: content}
	c.contentType()
	return c.form.Title.Use != Ignored && !c.form.Title.Card
}

// fitting returns the length of the longest start of a text, of whole characters as a reader sees them, that fits.
func fitting(text string, fits func(string) bool) int {
	ends := []int{0}
	for rest, state := text, -1; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		ends = append(ends, ends[len(ends)-1]+len(cluster))
	}
	n := sort.Search(len(ends), func(i int) bool { return !fits(text[:ends[i]]) })
	return ends[max(0, n-1)]
}

const ellipsis = "…"

// shorten cuts a text between words, so that it fits with an ellipsis and, if it has one, its last link.
func shorten(text string, fits func(string) bool) string {
	tail := ellipsis
	if links := textlen.Links(text); len(links) > 0 {
		last := links[len(links)-1]
		if with := ellipsis + " " + text[last.Start:last.End]; fits(with) {
			text, tail = text[:last.Start], with
			if whole := strings.TrimRight(text, " \n") + tail[len(ellipsis):]; fits(whole) {
				return whole // what follows the link was too much
			}
		}
	}
	cut := text[:fitting(text, func(part string) bool { return fits(part + tail) })]
	if at := strings.LastIndexAny(cut, " \n\t"); at > 0 && len(cut) < len(text) && !strings.ContainsRune(" \n\t", first(text[len(cut):])) {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " \n\t,;:–—-") + tail
}

// Unlinked returns a text without its links, the space before them, and the brackets around them. It returns the number of
// the links, too.
func Unlinked(text string) (string, int) {
	links := textlen.Addresses(text)
	for _, link := range slices.Backward(links) {
		before, after := text[:link.Start], text[link.End:]
		if strings.HasSuffix(before, "(") && strings.HasPrefix(after, ")") {
			before, after = before[:len(before)-1], after[1:]
		}
		if before = strings.TrimRight(before, " "); after == "" || strings.HasPrefix(after, "\n") {
			before = strings.TrimSuffix(before, "\n") // the link had a line of its own
		}
		text = before + after
	}
	return strings.TrimSpace(text), len(links)
}

func first(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}
