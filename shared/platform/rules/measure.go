package rules

import "fencepost.internal/shared/platform/rules/textlen"

// Measure is a network's way to count the length of a text.
type Measure struct {
	Unit string // the counted unit, in the singular
	Name string // the measure's name in the documentation, in the plural
	Hint string // a sentence that explains the counting to a user; may be empty
	Func func(string) int
}

// Length returns the length of the text.
func (m Measure) Length(text string) int { return m.Func(text) }

// Characters counts Unicode code points.
func Characters() Measure {
	return Measure{Unit: "character", Name: "characters", Func: textlen.Characters}
}

// Weighted counts emoji and most Asian characters as 2, and any link as 23.
func Weighted() Measure {
	return Measure{
		Unit: "character", Name: "weighted characters", Hint: "Emoji and most Asian characters count as 2, any link as 23.",
		Func: textlen.X,
	}
}

// EmojiByBytes counts characters, and emoji by their bytes.
func EmojiByBytes() Measure {
	return Measure{
		Unit: "character", Name: "characters, emoji by their bytes", Hint: "An emoji counts by its size, most as 4.",
		Func: textlen.Threads,
	}
}

// UTF16Units counts UTF-16 code units.
func UTF16Units() Measure {
	return Measure{Unit: "character", Name: "UTF-16 units", Hint: "Most emoji count as 2 or more.", Func: textlen.UTF16}
}

// UTF8Bytes counts bytes of UTF-8.
func UTF8Bytes() Measure {
	return Measure{
		Unit: "byte", Name: "bytes of UTF-8",
		Hint: "Letters with accents count as 2, most other scripts as 2 or 3, emoji as 4 or more.",
		Func: textlen.UTF8,
	}
}

// Graphemes counts characters as a reader sees them.
func Graphemes() Measure {
	return Measure{
		Unit: "character", Name: "characters as displayed", Hint: "An emoji counts as 1.", Func: textlen.Graphemes,
	}
}

// Shortened counts characters as a reader sees them, any link as 23, and a mention without its server.
func Shortened() Measure {
	return Measure{
		Unit: "character", Name: "characters as displayed", Hint: "A link counts as 23.",
		Func: func(text string) int { return textlen.Mastodon(text, 0) },
	}
}
