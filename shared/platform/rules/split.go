package rules

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"

	"fencepost.internal/shared/platform/rules/textlen"
)

// Split divides a text into the parts of a thread that fit, as many as it takes. It cuts after paragraphs, else after
// sentences, else between words, and between characters of a text without spaces; never inside a link, a mention, a
// hashtag or a character as a reader sees it. A link that does not fit by itself is a part of its own. Numbered parts end
// with their numbers, as in "2/5", which count too. The parts without numbers are the text but for the white space at the
// cuts.
func Split(text string, fits func(string) bool, numbered bool) []string {
	text = strings.TrimSpace(text)
	if text == "" || fits(text) {
		return []string{text}
	}
	cuts := cutsOf(text)
	if !numbered {
		return divide(text, cuts, func(part string, _ int) bool { return fits(part) })
	}
	const digit = 10
	for most := digit - 1; ; most = most*digit + digit - 1 {
		parts := divide(text, cuts, func(part string, no int) bool { return fits(withNumber(part, no, most)) })
		if len(parts) <= most {
			return withNumbers(parts)
		}
	}
}

// Renumber numbers the parts of a thread of which some were added, moved or removed, if Split had numbered it. Before has the
// parts before that. Parts without a text get no number.
func Renumber(parts, before []string) []string {
	plain := withoutNumbers(before)
	if len(plain) == 0 {
		return parts
	}
	parts = slices.Clone(parts)
	for i, part := range parts {
		if text, numbered := plain[part]; numbered {
			parts[i] = text
		}
	}
	if len(parts) == 1 {
		return parts
	}
	return withNumbers(parts)
}

// withNumbers ends each part that has a text with its number.
func withNumbers(parts []string) []string {
	numbered := slices.Clone(parts)
	for i, part := range parts {
		if part != "" {
			numbered[i] = withNumber(part, i+1, len(parts))
		}
	}
	return numbered
}

func withNumber(part string, no, of int) string { return fmt.Sprintf("%s %d/%d", part, no, of) }

var partPattern = regexp.MustCompile(`(?:^|\s+)(\d{1,3}/\d{1,3})\s*$`)

// withoutNumbers returns the parts that end with their numbers, each with its text without the number. There are none unless
// the first part and another one have their numbers: one such end alone may be what a person wrote.
func withoutNumbers(parts []string) map[string]string {
	plain := make(map[string]string)
	for i, part := range parts {
		said := partPattern.FindStringSubmatch(part)
		switch {
		case len(said) > 1 && said[1] == fmt.Sprintf("%d/%d", i+1, len(parts)):
			plain[part] = strings.TrimSuffix(part, said[0])
		case i == 0:
			return nil
		}
	}
	if len(plain) == 1 {
		return nil
	}
	return plain
}

// cutKind says how well a text can be cut at a place.
type cutKind int

const (
	cutAnywhere cutKind = iota // between two characters
	cutWord
	cutSentence // also after a line
	cutParagraph
)

// cut is a place at which a text can be cut.
type cut struct {
	at   int // offset
	kind cutKind
}

// divide cuts a text into parts. Fits reports whether a part fits at its place, from 1.
func divide(text string, cuts []cut, fits func(part string, no int) bool) []string {
	var parts []string
	for start := 0; len(cuts) > 0; {
		n := reach(len(cuts), func(i int) bool { return fits(strings.TrimSpace(text[start:cuts[i].at]), len(parts)+1) })
		if n < len(cuts) {
			n = best(cuts[:max(n, 1)], start)
		}
		end := cuts[n-1].at
		parts = append(parts, strings.TrimSpace(text[start:end]))
		start, cuts = end, cuts[n:]
	}
	return parts
}

// reach returns the number of the first of n values that fit. It looks at few of them if few fit.
func reach(n int, fits func(int) bool) int {
	end := 1
	for end <= n && fits(end-1) {
		end *= 2
	}
	return sort.Search(min(end, n), func(i int) bool { return !fits(i) })
}

// best returns how many of the cuts are within a part: up to the last one of the best kind that leaves the part no less than
// a third of what fits.
func best(cuts []cut, start int) int {
	const third = 3
	least := start + (cuts[len(cuts)-1].at-start)/third
	for kind := cutParagraph; kind > cutAnywhere; kind-- {
		for i, one := range slices.Backward(cuts) {
			if one.at > least && one.kind >= kind {
				return i + 1
			}
		}
	}
	return len(cuts)
}

// cutsOf returns the places at which a text can be cut, its end included.
func cutsOf(text string) []cut {
	var cuts []cut
	whole, at := wholes(text), 0
	for rest, state := text, -1; rest != ""; {
		var cluster string
		var boundaries int
		cluster, rest, boundaries, state = uniseg.StepString(rest, state)
		at += len(cluster)
		if !whole[at] && !leads(cluster) && (rest == "" || !unicode.IsSpace(first(rest))) {
			cuts = append(cuts, cut{at, cutOf(text[:at], boundaries)})
		}
	}
	return cuts
}

// leads reports whether a character is a vowel of Thai or Lao that is written before its consonant.
func leads(cluster string) bool {
	r := first(cluster)
	return r >= 'เ' && r <= 'ไ' || r >= 'ເ' && r <= 'ໄ'
}

// cutOf returns the kind of the cut after a text.
func cutOf(before string, boundaries int) cutKind {
	space := before[len(strings.TrimRightFunc(before, unicode.IsSpace)):]
	lines := strings.Count(space, "\n")
	switch {
	case lines > 1:
		return cutParagraph
	case lines == 1, boundaries&uniseg.MaskSentence != 0:
		return cutSentence
	case space != "", boundaries&uniseg.MaskLine != uniseg.LineDontBreak && !strings.ContainsAny(before[len(before)-1:], "-/"):
		return cutWord
	default:
		return cutAnywhere
	}
}

// namePattern matches a mention, with its server.
var namePattern = regexp.MustCompile(`[@＠][A-Za-z0-9_](?:[A-Za-z0-9_.@-]*[A-Za-z0-9_])?`)

// wholes reports the offsets that are inside what a cut must not divide.
func wholes(text string) []bool {
	within := make([]bool, len(text)+1)
	mark := func(start, end int) {
		for at := start + 1; at < end; at++ {
			within[at] = true
		}
	}
	for _, link := range slices.Concat(textlen.Hosts(text), HashtagsIn(text)) {
		mark(link.Start, link.End)
	}
	for _, name := range namePattern.FindAllStringIndex(text, -1) {
		mark(name[0], name[1])
	}
	return within
}
