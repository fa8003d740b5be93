// Package textlen measures text the way the networks do, so that a text that is too long is reported before the post is
// scheduled instead of being refused at publication.
package textlen

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"
)

// X's published weights (its text library, configuration 3): the listed ranges weigh one and everything else two. An
// emoji weighs two regardless of its number of code points. A link weighs 23 regardless of its length.
const (
	xWeightDefault = 2
	xWeightLink    = 23
)

// X returns the weighted length of the text on X. The limit for ordinary accounts is 280.
func X(text string) int {
	text = norm.NFC.String(text)
	length, at := 0, 0
	for _, link := range Links(text) {
		length += xWeight(text[at:link.Start]) + xWeightLink
		at = link.End
	}
	return length + xWeight(text[at:])
}

func xWeight(text string) int {
	weight := 0
	for cluster, emoji := range clusters(text) {
		if emoji && utf8.RuneCountInString(cluster) > 1 {
			// A joiner that joins nothing is not part of the emoji.
			joined := strings.TrimRight(cluster, string(rune(zeroWidthJoiner)))
			weight += xWeightDefault + utf8.RuneCountInString(cluster[len(joined):])
			continue
		}
		for _, r := range cluster {
			weight += xRuneWeight(r)
		}
	}
	return weight
}

func xRuneWeight(r rune) int {
	switch {
	case r <= 0x10FF, // Latin to Georgian
		r >= 0x2000 && r <= 0x200D, // spaces and joiners
		r >= 0x2010 && r <= 0x201F, // dashes and quotation marks
		r >= 0x2032 && r <= 0x2037: // primes
		return 1
	default:
		return xWeightDefault
	}
}

// Threads returns the length of the text on Threads: the number of characters, with each emoji counted as the bytes of
// its UTF-8 form. The limit is 500.
func Threads(text string) int {
	length := 0
	for cluster, emoji := range clusters(text) {
		if emoji {
			length += len(cluster)
		} else {
			length += utf8.RuneCountInString(cluster)
		}
	}
	return length
}

// UTF16 returns the number of UTF-16 code units of the text, Telegram's measure. Its limit is 4096.
func UTF16(text string) int {
	length := 0
	for _, r := range text {
		if r > unicode.MaxRune || utf16.RuneLen(r) < 0 {
			r = unicode.ReplacementChar
		}
		length += utf16.RuneLen(r)
	}
	return length
}

// Characters returns the number of Unicode code points of the text. It is the measure for networks that limit
// characters without a further definition.
func Characters(text string) int { return utf8.RuneCountInString(text) }

// Graphemes returns the number of extended grapheme clusters (Unicode Annex 29) of the text, Bluesky's measure. Its
// limit is 300.
func Graphemes(text string) int { return uniseg.GraphemeClusterCount(text) }

// Ends returns the offsets at which the grapheme clusters of the text end, in bytes.
func Ends(text string) []int {
	var ends []int
	at := 0
	for cluster := range clusters(text) {
		at += len(cluster)
		ends = append(ends, at)
	}
	return ends
}

// UTF8 returns the number of bytes of the text in UTF-8, YouTube's measure of descriptions. Its limit is 5,000.
func UTF8(text string) int { return len(text) }

// clusters yields the grapheme clusters of the text, each with a flag that reports whether it is displayed as one
// emoji.
func clusters(text string) func(yield func(string, bool) bool) {
	return func(yield func(string, bool) bool) {
		state := -1
		for text != "" {
			var cluster string
			var width int
			cluster, text, width, state = uniseg.FirstGraphemeClusterInString(text, state)
			if !yield(cluster, isEmoji(cluster, width)) {
				return
			}
		}
	}
}
