package member

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fencepost.internal/shared/kernel/ident"
)

// Mentioned returns the members whom a text names after an @. Of names that begin alike, the longest counts. Members of the
// same name are all named.
func Mentioned(text string, members []Member) (named []ident.User) {
	sorted := slices.SortedFunc(slices.Values(members), func(a, b Member) int { return cmp.Compare(len(b.Name), len(a.Name)) })
	found := make(map[string]bool)
	for _, m := range sorted {
		if _, known := found[m.Name]; !known && m.Name != "" {
			text, found[m.Name] = cut(text, "@"+m.Name)
		}
		if found[m.Name] {
			named = append(named, m.UserID)
		}
	}
	return named
}

// cut removes the whole words that are a name from a text, and reports whether there was one.
func cut(text, name string) (rest string, found bool) {
	var out strings.Builder
	for {
		before, after, ok := strings.Cut(text, name)
		out.WriteString(before)
		if !ok {
			return out.String(), found
		}
		if next, _ := utf8.DecodeRuneInString(after); unicode.IsLetter(next) || unicode.IsDigit(next) {
			out.WriteString(name)
		} else {
			out.WriteByte(' ')
			found = true
		}
		text = after
	}
}

// Part is a part of a text.
type Part struct {
	Text  string
	Names bool // it is the name of a member after an @
}

// Parts splits a text around the names of members that Mentioned finds.
func Parts(text string, members []string) []Part {
	names := slices.SortedFunc(slices.Values(members), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var parts []Part
	plain := 0
	for at := 0; at < len(text); at++ {
		if text[at] != '@' {
			continue
		}
		for _, name := range names {
			rest, found := strings.CutPrefix(text[at+1:], name)
			next, _ := utf8.DecodeRuneInString(rest)
			if !found || name == "" || unicode.IsLetter(next) || unicode.IsDigit(next) {
				continue
			}
			if plain < at {
				parts = append(parts, Part{Text: text[plain:at]})
			}
			parts = append(parts, Part{Text: "@" + name, Names: true})
			plain = at + 1 + len(name)
			at = plain - 1
			break
		}
	}
	if plain < len(text) {
		parts = append(parts, Part{Text: text[plain:]})
	}
	return parts
}
