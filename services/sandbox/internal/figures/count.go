package figures

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

// Classes of code points in emoji (Unicode Technical Standard 51).
const (
	joiner = 0x200D

	// colorful are the characters that are displayed as emoji without a selector.
	colorful = `\x{231A}-\x{231B}\x{23E9}-\x{23EC}\x{23F0}\x{23F3}\x{25FD}-\x{25FE}\x{2614}-\x{2615}\x{2648}-\x{2653}` +
		`\x{267F}\x{2693}\x{26A1}\x{26AA}-\x{26AB}\x{26BD}-\x{26BE}\x{26C4}-\x{26C5}\x{26CE}\x{26D4}\x{26EA}` +
		`\x{26F2}-\x{26F3}\x{26F5}\x{26FA}\x{26FD}\x{2705}\x{270A}-\x{270B}\x{2728}\x{274C}\x{274E}` +
		`\x{2753}-\x{2755}\x{2757}\x{2795}-\x{2797}\x{27B0}\x{27BF}\x{2B1B}-\x{2B1C}\x{2B50}\x{2B55}\x{1F004}` +
		`\x{1F0CF}\x{1F18E}\x{1F191}-\x{1F19A}\x{1F1E6}-\x{1F1FF}\x{1F201}\x{1F21A}\x{1F22F}\x{1F232}-\x{1F236}` +
		`\x{1F238}-\x{1F23A}\x{1F250}-\x{1F251}\x{1F300}-\x{1F320}\x{1F32D}-\x{1F335}\x{1F337}-\x{1F37C}` +
		`\x{1F37E}-\x{1F393}\x{1F3A0}-\x{1F3CA}\x{1F3CF}-\x{1F3D3}\x{1F3E0}-\x{1F3F0}\x{1F3F4}\x{1F3F8}-\x{1F43E}` +
		`\x{1F440}\x{1F442}-\x{1F4FC}\x{1F4FF}-\x{1F53D}\x{1F54B}-\x{1F54E}\x{1F550}-\x{1F567}\x{1F57A}` +
		`\x{1F595}-\x{1F596}\x{1F5A4}\x{1F5FB}-\x{1F64F}\x{1F680}-\x{1F6C5}\x{1F6CC}\x{1F6D0}-\x{1F6D2}` +
		`\x{1F6D5}-\x{1F6D7}\x{1F6DC}-\x{1F6DF}\x{1F6EB}-\x{1F6EC}\x{1F6F4}-\x{1F6FC}\x{1F7E0}-\x{1F7EB}\x{1F7F0}` +
		`\x{1F90C}-\x{1F93A}\x{1F93C}-\x{1F945}\x{1F947}-\x{1F9FF}\x{1FA70}-\x{1FAFF}`
	// pictures are the characters that can begin or continue an emoji.
	pictures = `\x{A9}\x{AE}\x{203C}\x{2049}\x{2122}\x{2139}\x{2194}-\x{21AA}\x{231A}-\x{23FF}\x{24C2}` +
		`\x{25AA}-\x{27BF}\x{2934}\x{2935}\x{2B05}-\x{2B55}\x{3030}\x{303D}\x{3297}\x{3299}\x{1F000}-\x{1FAFF}`
	// modifiers change the look of the emoji before them: a selector, a skin tone, or tags.
	modifiers = `[\x{FE0F}\x{1F3FB}-\x{1F3FF}\x{E0020}-\x{E007F}]`
	joined    = `(?:\x{200D}[` + pictures + `]` + modifiers + `*)`
)

var (
	colorfulPattern = regexp.MustCompile(`^[` + colorful + `]`)
	// sequencePattern matches the emoji of several code points: a keycap, a flag, or a picture with more after it.
	sequencePattern = regexp.MustCompile(`^(?:[0-9#*]\x{FE0F}*\x{20E3}|[\x{1F1E6}-\x{1F1FF}]{2}|` +
		`[` + pictures + `](?:` + modifiers + `+` + joined + `*|` + joined + `+))`)
)

// sequence returns the length of the emoji of several code points at the start of the text, or zero if there is none.
func sequence(text string) int { return len(sequencePattern.FindString(text)) }
