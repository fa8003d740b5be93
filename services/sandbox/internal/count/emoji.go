package count

import "unicode/utf8"

// Code points with a meaning in emoji sequences (Unicode Technical Standard 51).
const (
	joiner    = 0x200D
	asEmoji   = 0xFE0F
	keycap    = 0x20E3
	cancelTag = 0xE007F
)

func flags() [][2]rune     { return [][2]rune{{0x1F1E6, 0x1F1FF}} }
func skinTones() [][2]rune { return [][2]rune{{0x1F3FB, 0x1F3FF}} }
func tags() [][2]rune      { return [][2]rune{{0xE0020, cancelTag}} }

// pictures are the ranges of characters that can begin or continue an emoji.
func pictures() [][2]rune {
	return [][2]rune{
		{0xA9, 0xA9},
		{0xAE, 0xAE},
		{0x203C, 0x203C},
		{0x2049, 0x2049},
		{0x2122, 0x2122},
		{0x2139, 0x2139},
		{0x2194, 0x21AA},
		{0x231A, 0x23FF},
		{0x24C2, 0x24C2},
		{0x25AA, 0x27BF},
		{0x2934, 0x2935},
		{0x2B05, 0x2B55},
		{0x3030, 0x3030},
		{0x303D, 0x303D},
		{0x3297, 0x3297},
		{0x3299, 0x3299},
		{0x1F000, 0x1FAFF},
	}
}

// colorful are the characters that are displayed as emoji without a selector.
func colorful() [][2]rune { //nolint:funlen // a table
	return [][2]rune{
		{0x231A, 0x231B},
		{0x23E9, 0x23EC},
		{0x23F0, 0x23F0},
		{0x23F3, 0x23F3},
		{0x25FD, 0x25FE},
		{0x2614, 0x2615},
		{0x2648, 0x2653},
		{0x267F, 0x267F},
		{0x2693, 0x2693},
		{0x26A1, 0x26A1},
		{0x26AA, 0x26AB},
		{0x26BD, 0x26BE},
		{0x26C4, 0x26C5},
		{0x26CE, 0x26CE},
		{0x26D4, 0x26D4},
		{0x26EA, 0x26EA},
		{0x26F2, 0x26F3},
		{0x26F5, 0x26F5},
		{0x26FA, 0x26FA},
		{0x26FD, 0x26FD},
		{0x2705, 0x2705},
		{0x270A, 0x270B},
		{0x2728, 0x2728},
		{0x274C, 0x274C},
		{0x274E, 0x274E},
		{0x2753, 0x2755},
		{0x2757, 0x2757},
		{0x2795, 0x2797},
		{0x27B0, 0x27B0},
		{0x27BF, 0x27BF},
		{0x2B1B, 0x2B1C},
		{0x2B50, 0x2B50},
		{0x2B55, 0x2B55},
		{0x1F004, 0x1F004},
		{0x1F0CF, 0x1F0CF},
		{0x1F18E, 0x1F18E},
		{0x1F191, 0x1F19A},
		{0x1F1E6, 0x1F1FF},
		{0x1F201, 0x1F201},
		{0x1F21A, 0x1F21A},
		{0x1F22F, 0x1F22F},
		{0x1F232, 0x1F236},
		{0x1F238, 0x1F23A},
		{0x1F250, 0x1F251},
		{0x1F300, 0x1F320},
		{0x1F32D, 0x1F335},
		{0x1F337, 0x1F37C},
		{0x1F37E, 0x1F393},
		{0x1F3A0, 0x1F3CA},
		{0x1F3CF, 0x1F3D3},
		{0x1F3E0, 0x1F3F0},
		{0x1F3F4, 0x1F3F4},
		{0x1F3F8, 0x1F43E},
		{0x1F440, 0x1F440},
		{0x1F442, 0x1F4FC},
		{0x1F4FF, 0x1F53D},
		{0x1F54B, 0x1F54E},
		{0x1F550, 0x1F567},
		{0x1F57A, 0x1F57A},
		{0x1F595, 0x1F596},
		{0x1F5A4, 0x1F5A4},
		{0x1F5FB, 0x1F64F},
		{0x1F680, 0x1F6C5},
		{0x1F6CC, 0x1F6CC},
		{0x1F6D0, 0x1F6D2},
		{0x1F6D5, 0x1F6D7},
		{0x1F6DC, 0x1F6DF},
		{0x1F6EB, 0x1F6EC},
		{0x1F6F4, 0x1F6FC},
		{0x1F7E0, 0x1F7EB},
		{0x1F7F0, 0x1F7F0},
		{0x1F90C, 0x1F93A},
		{0x1F93C, 0x1F945},
		{0x1F947, 0x1F9FF},
		{0x1FA70, 0x1FAFF},
	}
}

// sequence returns the length of the emoji of several code points at the start of the text, or zero if there is none.
func sequence(text string) int {
	first, size := utf8.DecodeRuneInString(text)
	switch {
	case first >= '0' && first <= '9', first == '#', first == '*':
		if length := size + skip(text[size:], isSelector); startsWith(text[length:], keycap) {
			return length + utf8.RuneLen(keycap)
		}
	case within(first, flags()):
		if second, more := utf8.DecodeRuneInString(text[size:]); within(second, flags()) {
			return size + more
		}
	case within(first, pictures()):
		end := size + modifiers(text[size:])
		for startsWith(text[end:], joiner) {
			after := end + utf8.RuneLen(joiner)
			next, more := utf8.DecodeRuneInString(text[after:])
			if !within(next, pictures()) {
				break
			}
			end = after + more
			end += modifiers(text[end:])
		}
		if end > size {
			return end
		}
	}
	return 0
}

// modifiers returns the length of what changes the look of the emoji before it.
func modifiers(text string) int {
	return skip(text, func(r rune) bool { return isSelector(r) || within(r, skinTones()) || within(r, tags()) })
}

func isSelector(r rune) bool { return r == asEmoji }

// skip returns the length of the leading characters that have the property.
func skip(text string, has func(rune) bool) int {
	for at, r := range text {
		if !has(r) {
			return at
		}
	}
	return len(text)
}

func startsWith(text string, want rune) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return r == want
}
