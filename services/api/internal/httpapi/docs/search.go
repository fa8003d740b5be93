package docs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fencepost.internal/services/internal/problem"
)

const (
	// maxQuery and maxWords bound a search, in bytes and in words.
	maxQuery = 200
	maxWords = 8
	// maxResults is the number of results on the page.
	maxResults = 30
	// around is the length of the text before and after the first word that is found, in characters.
	around = 90

	weightTitle = 20
	weightHead  = 8
	weightWhole = 3 // of a whole word; the beginning of a word counts once
)

// entry is a part of a page that the search finds: the text below a heading, an operation, or an error code.
type entry struct {
	Page, Title string // title of the page and of the part
	Path        string
	text        string
}

// index finds entries by the beginnings of their words. It is small, so that it is in memory.
type index struct {
	entries []entry
	words   []string                 // in alphabetical order
	weights map[string]map[int]int32 // of entries, by word
}

// sections returns the entries of all pages.
func (s *Site) sections() []entry {
	var list []entry
	for _, g := range s.catalogue.guides {
		list = append(list, s.blocksOf(g.Title, g.Path, g.source, g.text)...)
	}
	list = append(list, s.blocksOf("API reference", pathReference, "docs/openapi.yaml", []byte(s.document.Info.Description))...)
	for _, group := range s.groups {
		for _, op := range group.Operations {
			text := op.ID + " " + op.Description
			for _, p := range op.Parameters {
				text += " " + p.Name
			}
			if op.RequestBody != nil {
				for _, f := range s.document.fields(op.RequestBody.Content[typeJSON].Schema, nil) {
					text += " " + f.Name
				}
			}
			list = append(list, entry{Page: group.Name, Title: op.Summary + ": " + op.Method + " " + op.Path, Path: op.Page(), text: markup.Replace(text)})
		}
	}
	for _, kind := range problem.Kinds() {
		list = append(list, entry{
			Page: "Error codes", Title: string(kind.Code) + ": " + kind.Title, Path: problem.Path + kind.Slug(),
			text: markup.Replace(kind.Meaning + " " + strings.Join(kind.Remedy, " ")),
		})
	}
	for _, r := range s.changes {
		list = append(list, entry{Page: titleOfChangelog, Title: r.Name, Path: pathChangelog + "#" + r.Anchor(), text: markup.Replace(r.text)})
	}
	return list
}

func (s *Site) blocksOf(title, path, source string, text []byte) []entry {
	out, err := s.catalogue.convert(source, text)
	if err != nil {
		return nil // the page reports it
	}
	var list []entry
	for i, b := range out.blocks {
		one := entry{Page: title, Title: cmp.Or(b.Title, title), Path: path, text: b.text}
		if i > 0 && b.ID != "" {
			one.Path += "#" + b.ID
		}
		list = append(list, one)
	}
	return list
}

func newIndex(entries []entry) *index {
	x := &index{entries: entries, weights: map[string]map[int]int32{}}
	for i, e := range entries {
		x.add(i, e.Page, weightHead)
		x.add(i, e.Title, weightTitle)
		x.add(i, e.text, 1)
	}
	x.words = slices.Sorted(maps.Keys(x.weights))
	return x
}

// add adds the words of a text to an entry. The weight of a word is limited, because a word that is repeated often decides
// nothing.
func (x *index) add(i int, text string, weight int32) {
	const most = weightTitle + weightHead
	for _, word := range wordsOf(text) {
		if x.weights[word] == nil {
			x.weights[word] = map[int]int32{}
		}
		x.weights[word][i] = min(x.weights[word][i]+weight, most)
	}
}

// wordsOf returns the words of a text in lower case: sequences of letters and digits.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// Result is a result of the search.
type Result struct {
	Page, Title, Path  string
	Before, Hit, After string // the text around the first word that is found
}

// find returns the best entries in which every word of the query begins a word.
func (x *index) find(query string) []Result {
	words := wordsOf(query)
	words = words[:min(len(words), maxWords)]
	if len(words) == 0 {
		return nil
	}
	var scores map[int]int32
	for _, word := range words {
		found := map[int]int32{}
		at, _ := slices.BinarySearch(x.words, word)
		for ; at < len(x.words) && strings.HasPrefix(x.words[at], word); at++ {
			factor := int32(1)
			if x.words[at] == word {
				factor = weightWhole
			}
			for i, weight := range x.weights[x.words[at]] {
				found[i] += weight * factor
			}
		}
		if scores != nil {
			for i, score := range scores {
				if found[i] == 0 {
					delete(scores, i)
				} else {
					scores[i] = score + found[i]
				}
			}
			continue
		}
		scores = found
	}
	best := slices.SortedFunc(maps.Keys(scores), func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	})
	results := make([]Result, 0, min(len(best), maxResults))
	for _, i := range best[:min(len(best), maxResults)] {
		results = append(results, x.entries[i].result(words))
	}
	return results
}

// result returns an entry with the text around the first of the words.
func (e entry) result(words []string) Result {
	r := Result{Page: e.Page, Title: e.Title, Path: e.Path}
	text := strings.Join(strings.Fields(e.text), " ")
	at, length := firstOf(text, words)
	r.Before, r.Hit, r.After = shortened(text[:at], true), text[at:at+length], shortened(text[at+length:], false)
	return r
}

// firstOf returns the place of the first word of a text that begins with one of the words, and the length of that beginning.
func firstOf(text string, words []string) (at, length int) {
	inside := false
	for i, r := range text {
		letter := unicode.IsLetter(r) || unicode.IsNumber(r)
		if letter && !inside {
			for _, word := range words {
				if n := len(word); i+n <= len(text) && strings.EqualFold(text[i:i+n], word) {
					return i, n
				}
			}
		}
		inside = letter
	}
	return 0, 0
}

// shortened returns the end or the beginning of a text.
func shortened(text string, end bool) string {
	if utf8.RuneCountInString(text) <= around {
		return text
	}
	runes := []rune(text)
	if end {
		return "…" + string(runes[len(runes)-around:])
	}
	return string(runes[:around]) + "…"
}

// Search returns the page with the results of a query. A query that is too long is shortened.
func (s *Site) Search(query string) (File, error) {
	query = strings.TrimSpace(strings.ToValidUTF8(query[:min(len(query), maxQuery)], ""))
	results := s.index.find(query)
	title := "Search"
	if query != "" {
		title = fmt.Sprintf("Search: %d results", len(results))
	}
	body, err := s.body("search.html", map[string]any{"Query": query, "Results": results, "Action": PathSearch})
	if err != nil {
		return File{}, err
	}
	return s.render(page{
		Title: title, Description: "Search in the documentation of the Fencepost API.", Path: PathSearch, Body: body, Query: query, NoIndex: true,
	})
}
