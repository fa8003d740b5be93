package linkedin

import (
	"regexp"
	"slices"
	"strings"

	"socialpub.internal/shared/platform/connectors/internal/match"
)

// match compares a post's commentary with what was sent. LinkedIn gives the text back in its own format; it is also read as
// it stands, in case that is the plain text.
func (s signature) match(commentary string) match.Match {
	return max(signatureOf(unescape(commentary)).compare(s), signatureOf(commentary).compare(s))
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
	text = match.Squeeze(text)
	return signature{words: linkPattern.ReplaceAllLiteralString(text, linkMark), links: linkPattern.FindAllString(text, -1)}
}

// compare finds near the same words with other links, and a text that LinkedIn cut.
func (s signature) compare(want signature) match.Match {
	const enough = 40 // bytes that two different texts seldom share
	switch {
	case s.words == want.words && slices.Equal(s.links, want.links):
		return match.Exact
	case s.words == want.words, len(s.words) >= enough && strings.HasPrefix(want.words, s.words):
		return match.Near
	default:
		return match.None
	}
}
