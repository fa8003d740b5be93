// Package count measures texts as the simulated networks do.
//
// It shares no code with the service's own measuring, so that a mistake on one side meets a refusal by the other. Both
// are tested with the vectors of X's text library.
package count

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Weights of X (configuration 3 of its text library), in characters.
const (
	wide   = 2
	linked = 23
)

// light are the code points that weigh one on X.
var light = regexp.MustCompile(`^[\x{0}-\x{10FF}\x{2000}-\x{200D}\x{2010}-\x{201F}\x{2032}-\x{2037}]`)

// X returns the weighted length of a text on X. Ordinary accounts have 280.
func X(text string) int {
	text = norm.NFC.String(text)
	links := Links(text)
	sum := 0
	for at := 0; at < len(text); {
		if len(links) > 0 && links[0].Start == at {
			sum, at, links = sum+linked, links[0].End, links[1:]
			continue
		}
		if size := sequence(text[at:]); size > 0 {
			sum, at = sum+wide, at+size
			continue
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		if sum++; !light.MatchString(text[at:]) {
			sum += wide - 1
		}
		at += size
	}
	return sum
}

// Threads returns the length of a text on Threads: characters, but the bytes of emoji. The limit is 500.
func Threads(text string) int {
	sum := 0
	for at := 0; at < len(text); {
		if size := sequence(text[at:]); size > 0 {
			sum, at = sum+size, at+size
			continue
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		if sum++; colorfulPattern.MatchString(text[at:]) {
			sum += size - 1
		}
		at += size
	}
	return sum
}

// Graphemes returns the length of a text on Bluesky: characters as a reader sees them. The limit is 300. Syllables that
// are written as several Hangul letters count as several.
func Graphemes(text string) int {
	sum := 0
	for at := 0; at < len(text); sum++ {
		if strings.HasPrefix(text[at:], "\r\n") {
			at += len("\r\n")
			continue
		}
		size := sequence(text[at:])
		if size == 0 {
			_, size = utf8.DecodeRuneInString(text[at:])
		}
		for at += size; at < len(text); at += size {
			var next rune
			if next, size = utf8.DecodeRuneInString(text[at:]); !unicode.In(next, unicode.M) && next != joiner {
				break
			}
		}
	}
	return sum
}

// Mastodon returns the length of a text on Mastodon: characters as a reader sees them, with each link as 23 and each
// mention of an account on another server without the server. The limit is 500.
func Mastodon(text string) int {
	short := []byte(text)
	for _, link := range slices.Backward(MastodonLinks(text)) {
		short = slices.Replace(short, link.Start, link.End, []byte(strings.Repeat("x", linked))...)
	}
	return Graphemes(server.ReplaceAllString(string(short), "$1"))
}

// server matches the server in a mention. The names of bridged accounts have dots and hyphens.
var server = regexp.MustCompile(`((?:^|[^=/\pL\pN_])@\w(?:[\w.-]*\w)?)@[\w.-]*\w`)

// UTF16 returns the number of UTF-16 code units of a text.
func UTF16(text string) int { return len(utf16.Encode([]rune(text))) }

// Characters returns the number of code points of a text.
func Characters(text string) int { return len([]rune(text)) }

// threadsLink matches an address with a protocol, or one that begins with www.
var threadsLink = regexp.MustCompile(`(?i)(?:^|[^\pL\pN@.])((?:https?://|www\.)[^\s<>"./]+\.[^\s<>"]+)`)

// ThreadsLinks returns the number of different links in a text, as Threads counts them. The limit is 5
// (developers.facebook.com/documentation/threads/create-posts/text-attachments).
func ThreadsLinks(text string) int {
	seen := make(map[string]bool)
	for _, found := range threadsLink.FindAllStringSubmatch(text, -1) {
		seen[strings.TrimRight(found[1], ".,;:!?'*~…。、，．！？：；")] = true
	}
	return len(seen)
}
