package rules

import "socialpub.internal/shared/platform/rules/textlen"

// Measure is a network's way to count the length of a text.
type Measure struct {
	Unit  string // the counted unit, in the singular
	Name  string // the measure's name in the documentation, in the plural
	Hint  string // a sentence that explains the counting to a user; may be empty
	count func(string) int
}

// Length returns the length of the text.
func (m Measure) Length(text string) int { return m.count(text) }

func characters() Measure {
	return Measure{Unit: "character", Name: "characters", count: textlen.Characters}
}

func weighted() Measure {
	return Measure{
		Unit: "character", Name: "weighted characters", Hint: "Emoji and most Asian characters count as 2, any link as 23.",
		count: textlen.X,
	}
}

func emojiByBytes() Measure {
	return Measure{
		Unit: "character", Name: "characters, emoji by their bytes", Hint: "An emoji counts by its size, most as 4.",
		count: textlen.Threads,
	}
}

func utf16Units() Measure {
	return Measure{Unit: "character", Name: "UTF-16 units", Hint: "Most emoji count as 2 or more.", count: textlen.UTF16}
}

func utf8Bytes() Measure {
	return Measure{
		Unit: "byte", Name: "bytes of UTF-8", Hint: "Letters with accents count as 2, most other scripts as 2 or 3, emoji as 4 or more.",
		count: textlen.UTF8,
	}
}
