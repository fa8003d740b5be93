package post

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a search (docs/contract.md, Search).
const (
	LongestSearch  = 200 // characters
	MaxSearchWords = 10
	// partLetters is the number of letters with which a part of a word is found.
	partLetters = 3
)

// Search is a search for posts by the words of their content and title. Every word of it occurs in the post, in either
// case.
type Search struct {
	// Words occur anywhere, also within longer words.
	Words []string
	// Parts are those of Words that have three letters or digits in a row, by which they are found.
	Parts []string
	// Whole are those of Words that are found as whole words only, because too many words contain them.
	Whole []string
	// Pairs are the pairs of letters of Words in scripts without spaces between words, and single letters between other scripts.
	Pairs []string
}

// ParseSearch returns a search for the words of a text. The fault says why there is none.
func ParseSearch(text string) (s Search, fault string) {
	words := strings.Fields(text)
	switch {
	case utf8.RuneCountInString(text) > LongestSearch:
		return Search{}, "must have at most 200 characters"
	case len(words) > MaxSearchWords:
		return Search{}, "must have at most 10 words"
	}
	for _, word := range words {
		s = s.with(word)
	}
	if len(s.Parts)+len(s.Whole)+len(s.Pairs) == 0 {
		return Search{}, "must have a word with a letter or a digit"
	}
	return s, ""
}

// IsZero reports whether there is nothing to search for.
func (s Search) IsZero() bool { return len(s.Words) == 0 }

// with returns the search for one more word.
func (s Search) with(word string) Search {
	if slices.Contains(s.Words, word) {
		return s
	}
	s.Words = append(s.Words, word)
	letters := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	part, whole := false, false
	for _, run := range strings.FieldsFunc(word, letters) {
		for _, same := range byScript(run) {
			switch {
			case unspaced(same[0]):
				s.Pairs = append(s.Pairs, pairs(same)...)
			case len(same) >= partLetters:
				part = true
			default:
				whole = true
			}
		}
	}
	switch {
	case part:
		s.Parts = append(s.Parts, word)
	case whole:
		s.Whole = append(s.Whole, word)
	}
	return s
}

// byScript splits letters where scripts with and without spaces meet.
func byScript(run string) (parts [][]rune) {
	for _, r := range run {
		last := len(parts) - 1
		if last < 0 || unspaced(parts[last][0]) != unspaced(r) {
			parts = append(parts, []rune{r})
			continue
		}
		parts[last] = append(parts[last], r)
	}
	return parts
}

// pairs returns the pairs of neighbors, or the only letter.
func pairs(letters []rune) (found []string) {
	if len(letters) == 1 {
		return []string{string(letters)}
	}
	for i := range len(letters) - 1 {
		found = append(found, string(letters[i:i+2]))
	}
	return found
}

// unspaced reports whether a letter belongs to a script in which words of one or two letters are common, without spaces
// around them: Chinese, Japanese, Korean. The function post_words of the database has the same ranges.
func unspaced(r rune) bool {
	for _, of := range [...][2]rune{
		{0x3005, 0x3007},
		{0x3041, 0x3096},
		{0x30A1, 0x30FA},
		{0x30FC, 0x30FE},
		{0x3400, 0x4DBF},
		{0x4E00, 0x9FFF},
		{0xAC00, 0xD7A3},
		{0xF900, 0xFAFF},
	} {
		if of[0] <= r && r <= of[1] {
			return true
		}
	}
	return false
}
