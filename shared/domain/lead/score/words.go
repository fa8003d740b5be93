package score

import (
	"embed"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed words/*.txt
var files embed.FS

// kind is a list of words.
type kind int

const (
	question kind = iota
	price
	buying
	place
	trouble
	spam
	product
	kinds
)

// lists are the names of the lists in the files.
var lists = map[string]kind{
	"question": question, "price": price, "buying": buying, "place": place, "trouble": trouble, "spam": spam,
}

// term is a word or several, in folded form.
type term struct {
	text   string
	kind   kind
	prefix bool // it may be the beginning of a word
}

// Words are terms by their first character.
type Words struct{ terms map[rune][]term }

func (w *Words) add(k kind, text string) {
	text = strings.TrimSpace(text)
	text, prefix := strings.CutSuffix(text, "*")
	text = strings.Join(strings.Fields(fold(text).text), " ")
	first, _ := utf8.DecodeRuneInString(text)
	if text != "" {
		w.terms[first] = append(w.terms[first], term{text, k, prefix})
	}
}

// Own returns the words of a workspace: buying words, and the names of its products. A name of one or two letters is
// left out, because it is found in every text.
func Own(buyingWords, products []string) *Words {
	const least = 3
	w := &Words{terms: make(map[rune][]term)}
	for _, text := range buyingWords {
		w.add(buying, text)
	}
	for _, text := range products {
		if utf8.RuneCountInString(strings.TrimSpace(text)) >= least {
			w.add(product, text)
		}
	}
	return w
}

// shipped returns the words of all languages. A message may be in several.
var shipped = sync.OnceValue(func() *Words {
	w := &Words{terms: make(map[rune][]term)}
	entries, _ := files.ReadDir("words")
	for _, entry := range entries {
		data, _ := files.ReadFile("words/" + entry.Name())
		for line := range strings.Lines(string(data)) {
			name, terms, _ := strings.Cut(line, ":")
			for text := range strings.SplitSeq(terms, ",") {
				w.add(lists[name], text)
			}
		}
	}
	return w
})

// match returns the words of each list in a text.
func match(f folded, own *Words) [kinds][]Span {
	var found [kinds][]Span
	for at, r := range f.text {
		if !boundary(f.text, at) {
			continue
		}
		for _, w := range []*Words{shipped(), own} {
			if w == nil {
				continue
			}
			for _, t := range w.terms[r] {
				end := at + len(t.text)
				if strings.HasPrefix(f.text[at:], t.text) && (t.prefix || boundary(f.text, end)) {
					found[t.kind] = append(found[t.kind], f.original(at, end))
				}
			}
		}
	}
	return found
}

// outside returns the spans that are not within one of the others.
func outside(spans, others []Span) []Span {
	return slices.DeleteFunc(spans, func(s Span) bool {
		return slices.ContainsFunc(others, func(o Span) bool { return o.Start <= s.Start && s.End <= o.End })
	})
}
