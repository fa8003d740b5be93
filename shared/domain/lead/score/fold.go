package score

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// longest is the number of bytes of a message that are read. What follows cannot turn a message into another one, and
// a long text must not cost more.
const longest = 8 << 10

// folded is a text in the form in which words are compared: compatibility forms, case and accents do not matter.
type folded struct {
	text  string
	at    []int32 // for each byte of text, the position in the original; one more for the end
	asks  bool    // it has a question mark
	words int
}

// fold returns the folded form of a text.
func fold(original string) folded {
	if len(original) > longest {
		original = strings.ToValidUTF8(original[:longest], "")
	}
	var f folded
	var b strings.Builder
	f.at = make([]int32, 0, len(original)+1)
	add := func(r rune, from int) {
		before := b.Len()
		for _, s := range single(r) {
			b.WriteRune(s)
		}
		for range b.Len() - before {
			f.at = append(f.at, int32(from)) //nolint:gosec // at most longest
		}
	}
	var segments norm.Iter
	for start := 0; start < len(original); {
		if c := original[start]; c < utf8.RuneSelf && (start+1 == len(original) || original[start+1] < utf8.RuneSelf) {
			add(rune(c), start)
			start++
			continue
		}
		segments.InitString(norm.NFKD, original[start:])
		segment := string(segments.Next())
		next := start + max(segments.Pos(), 1)
		for _, r := range segment {
			add(r, start)
		}
		start = next
	}
	f.text = b.String()
	f.at = append(f.at, int32(len(original))) //nolint:gosec // at most longest
	f.asks = strings.ContainsAny(f.text, "?\u061f")
	f.words = len(strings.Fields(f.text))
	return f
}

// single returns a character as it is compared; empty: it does not matter.
func single(r rune) string {
	switch {
	case r < utf8.RuneSelf:
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
	case accent(r):
		return ""
	case r == 'ß':
		return "ss"
	case r == 'ı': // Turkish, without a dot
		return "i"
	case r == 'ى': // Arabic, final
		return "ي"
	case r == '’', r == 'ʼ':
		return "'"
	default:
		r = unicode.ToLower(r)
	}
	return string(r)
}

// accent reports whether a mark is left out by people who write quickly. Marks of other scripts distinguish words.
func accent(r rune) bool {
	return r >= '\u0300' && r <= '\u036f' || r >= '\u064b' && r <= '\u065f' || r == '\u0670' || r == '\u0640' || r == '\u200d'
}

// original returns where a part of the folded text is in the original.
func (f folded) original(start, end int) Span {
	return Span{Start: int(f.at[start]), End: int(f.at[end])}
}

// spaced reports whether the character belongs to a word whose script separates words.
func spaced(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsNumber(r)) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai,
		unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// boundary reports whether a word may begin or end at the position.
func boundary(text string, at int) bool {
	if at == 0 || at == len(text) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	return !spaced(before) || !spaced(after)
}
