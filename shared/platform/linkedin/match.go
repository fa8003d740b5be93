package linkedin

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

type matchKind int

const (
	matchNone matchKind = iota
	matchNear           // the same words with other links, or a text that LinkedIn cut
	matchExact
)

// match compares the post with what was sent. LinkedIn gives the text back in its own format; it is also read as it stands,
// in case that is the plain text.
func (l listed) match(want signature) matchKind {
	return max(signatureOf(unescape(l.Commentary)).compare(want), signatureOf(l.Commentary).compare(want))
}

// signature is a text as it can be compared after LinkedIn has had its hands on it: the words without the whitespace and the
// invisible characters that may be trimmed, each link replaced by a mark, and the links apart.
type signature struct {
	words string
	links []string
}

var linkPattern = regexp.MustCompile(`https?://\S+`)

func signatureOf(text string) signature {
	const linkMark = "\uE000" // a private-use character
	text = squeeze(norm.NFC.String(text))
	return signature{words: linkPattern.ReplaceAllLiteralString(text, linkMark), links: linkPattern.FindAllString(text, -1)}
}

func (s signature) compare(want signature) matchKind {
	const enough = 40 // bytes that two different texts seldom share
	switch {
	case s.words == want.words && slices.Equal(s.links, want.links):
		return matchExact
	case s.words == want.words, len(s.words) >= enough && strings.HasPrefix(want.words, s.words):
		return matchNear
	default:
		return matchNone
	}
}

// squeeze folds runs of whitespace and drops what is invisible.
func squeeze(text string) string {
	visible := strings.Map(func(r rune) rune {
		if !unicode.IsSpace(r) && unicode.In(r, unicode.Cc, unicode.Cf) {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(visible), " ")
}
