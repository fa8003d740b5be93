package linkedin

import (
	"regexp"
	"slices"
	"strings"

	"socialpub.internal/shared/platform/connectors/internal/match"
)

// match compares a post's commentary with the sent text. LinkedIn returns the text in its own format. The commentary is
// also compared without unescaping, in case it is plain text.
func (s signature) match(commentary string) match.Match {
	return max(signatureOf(unescape(commentary)).compare(s), signatureOf(commentary).compare(s))
}

// signature is a comparable form of a text that LinkedIn may have changed. It holds the words without the whitespace
// and invisible characters that LinkedIn may trim, with each link replaced by a mark, and the links.
type signature struct {
	words string
	links []string
}

var linkPattern = regexp.MustCompile(`https?://\S+`)

func signatureOf(text string) signature {
	const linkMark = "\uE000" // a private-use character
	text = match.Squeeze(text)
	return signature{
		words: linkPattern.ReplaceAllLiteralString(text, linkMark), links: linkPattern.FindAllString(text, -1),
	}
}

// compare reports Near for equal words with different links, and for a text that LinkedIn truncated.
func (s signature) compare(want signature) match.Match {
	const enough = 40 // bytes; different texts rarely share such a long prefix
	switch {
	case s.words == want.words && slices.Equal(s.links, want.links):
		return match.Exact
	case s.words == want.words, len(s.words) >= enough && strings.HasPrefix(want.words, s.words):
		return match.Near
	default:
		return match.None
	}
}
