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
