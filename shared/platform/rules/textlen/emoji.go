package textlen

import (
	"unicode"
	"unicode/utf8"
)

// Code points that make a sequence an emoji.
const (
	zeroWidthJoiner    = 0x200D
	emojiPresentation  = 0xFE0F
	enclosingKeycap    = 0x20E3
	wide               = 2 // columns of a character with emoji presentation
	firstPictographic  = 0x2190
	firstAfterSymbols  = 0x2C00
	firstAstralPicture = 0x1F000
)

// isEmoji reports whether a grapheme cluster is displayed as one emoji. The width is in columns. It distinguishes
// characters that are emoji by default from those that are text unless a variation selector follows.
func isEmoji(cluster string, width int) bool {
	first, size := utf8.DecodeRuneInString(cluster)
	if size == len(cluster) {
		return width == wide && isPictographic(first) || isRegional(first)
	}
	if isRegional(first) {
		return true
	}
	for _, r := range cluster[size:] {
		switch {
		case r == enclosingKeycap, r == emojiPresentation:
			return true
		case r == zeroWidthJoiner, isSkinTone(r), isTag(r):
			// Joiners also shape letters of Indic scripts. The sequence is an emoji only if it starts with a
			// pictograph.
			return isPictographic(first)
		}
	}
	return width == wide && isPictographic(first)
}

// isPictographic excludes the wide symbols of the CJK blocks between the two ranges, which are not emoji.
func isPictographic(r rune) bool {
	inRange := r >= firstPictographic && r < firstAfterSymbols || r >= firstAstralPicture
	return inRange && unicode.In(r, unicode.So, unicode.Sm, unicode.Sk)
}

func isRegional(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }
func isSkinTone(r rune) bool { return r >= 0x1F3FB && r <= 0x1F3FF }
func isTag(r rune) bool      { return r >= 0xE0020 && r <= 0xE007F }
