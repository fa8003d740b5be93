package presentation

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform/rules"
	"fencepost.internal/shared/platform/rules/textlen"
)

// Marks are the parts of texts that people can follow on a network.
type Marks struct {
	Links func(string) []textlen.Link // nil: links stay plain text
	// Shown is the number of characters of a link that are shown, without its protocol. Zero: links are shown as written.
	Shown    int
	Mentions func(string) []mark // nil: names stay plain text
	Hashtags Hashtags
	Cashtags bool
}

// PlainLinks reports whether people cannot follow links in texts on a network.
func PlainLinks(network channel.Network) bool {
	style, ok := styleOf(network)
	return ok && style.Marks.Links == nil
}

// TextOf returns a whole text with the parts that people can follow on a network.
func TextOf(network channel.Network, text string) []Run {
	style, _ := styleOf(network)
	return runs(text, style.Marks.find(text), len(text), len(text))
}

// Hashtags says which hashtags can be followed.
type Hashtags int

// Hashtags.
const (
	None  Hashtags = iota
	First          // only the first one
	All
)

// mark is a part of a text that people can follow.
type mark struct {
	textlen.Link

	kind  Kind
	shown string
}

// names returns the function that finds mentions by the pattern of names.
func names(pattern string) func(string) []mark {
	mention := regexp.MustCompile(`(?:^|[^\p{L}\p{N}_.@/])(@` + pattern + `)`)
	return func(text string) []mark {
		var found []mark
		for _, at := range mention.FindAllStringSubmatchIndex(text, -1) {
			found = append(found, mark{textlen.Link{Start: at[2], End: at[3]}, Mention, text[at[2]:at[3]]})
		}
		return found
	}
}

// dotted returns the function that finds mentions of names that may have dots, except at their end.
func dotted(longest int) func(string) []mark {
	find := names(`[A-Za-z0-9_.]+`)
	return func(text string) []mark {
		found := find(text)
		for i := range found {
			found[i].shown = strings.TrimRight(found[i].shown[:min(len(found[i].shown), longest+1)], ".")
			found[i].End = found[i].Start + len(found[i].shown)
		}
		return slices.DeleteFunc(found, func(m mark) bool { return m.shown == "@" })
	}
}

// federated finds the mentions of Mastodon, which are shown without their servers.
func federated(text string) []mark {
	var found []mark
	for _, at := range textlen.MastodonMention.FindAllStringSubmatchIndex(text, -1) {
		found = append(found, mark{textlen.Link{Start: at[4], End: at[1]}, Mention, text[at[4]:at[5]]})
	}
	return found
}

var cashtag = regexp.MustCompile(`(?:^|\s)(\$[A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?)\b`)

// find returns the marks of the text in order. None overlaps another one: the first counts.
func (m Marks) find(text string) []mark {
	var all []mark
	if m.Links != nil {
		for _, link := range m.Links(text) {
			all = append(all, mark{link, Link, m.shortened(text[link.Start:link.End])})
		}
	}
	if m.Mentions != nil {
		all = append(all, m.Mentions(text)...)
	}
	all = append(all, m.tags(text)...)
	slices.SortStableFunc(all, func(a, b mark) int { return cmp.Compare(a.Start, b.Start) })
	end := 0
	return slices.DeleteFunc(all, func(one mark) bool {
		if one.Start < end {
			return true
		}
		end = one.End
		return false
	})
}

func (m Marks) tags(text string) []mark {
	var found []mark
	for _, tag := range rules.HashtagsIn(text) {
		if m.Hashtags == All || m.Hashtags == First && len(found) == 0 {
			word := text[tag.Start:tag.End]
			if strings.ContainsFunc(word, unicode.IsLetter) { // a number is none
				found = append(found, mark{tag, Hashtag, word})
			}
		}
	}
	if m.Cashtags {
		for _, at := range cashtag.FindAllStringSubmatchIndex(text, -1) {
			found = append(found, mark{textlen.Link{Start: at[2], End: at[3]}, Hashtag, text[at[2]:at[3]]})
		}
	}
	return found
}

// shortened returns a link as the network shows it.
func (m Marks) shortened(link string) string {
	if m.Shown == 0 {
		return link
	}
	_, address, has := strings.Cut(link, "://")
	if !has {
		address = link
	}
	runes := []rune(address)
	if len(runes) <= m.Shown {
		return address
	}
	return string(runes[:m.Shown]) + "…"
}

// whole returns the marks that no cut divides: the links of a network that shortens them.
func (m Marks) whole(found []mark) []textlen.Link {
	var ranges []textlen.Link
	for _, one := range found {
		if m.Shown > 0 && one.kind == Link {
			ranges = append(ranges, one.Link)
		}
	}
	return ranges
}

// runs divides the text at its marks, at the end of the shown part and where it exceeds the limit. A mark that is divided
// is shown as written.
func runs(text string, found []mark, shown, fits int) []Run {
	var out []Run
	add := func(start, end int, kind Kind, as string) {
		borders := []int{start, shown, fits, end}
		borders = slices.DeleteFunc(borders, func(at int) bool { return at < start || at > end })
		slices.Sort(borders)
		borders = slices.Compact(borders)
		for i := 1; i < len(borders); i++ {
			part := text[borders[i-1]:borders[i]]
			if len(borders) == 2 {
				part = as
			}
			out = append(out, Run{Kind: kind, Text: part, Rest: borders[i-1] >= shown, Excess: borders[i-1] >= fits})
		}
	}
	at := 0
	for _, one := range found {
		add(at, one.Start, Plain, text[at:one.Start])
		add(one.Start, one.End, one.kind, one.shown)
		at = one.End
	}
	add(at, len(text), Plain, text[at:])
	return out
}
