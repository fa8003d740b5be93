package linkedin

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

// wanted describes the sent post for the search.
type wanted struct {
	text  signature
	media int      // number of attachments
	urns  []string // of the uploads; empty if unknown
}

func wantedOf(content platform.Content, sent platform.Sent) wanted {
	want := wanted{text: signatureOf(sent.Text), media: len(content.Media)}
	// The handle's URNs are used regardless of its age. Without them, the search uses only the text.
	if urns, err := urnsOf(sent.Handle, content.Media, time.Time{}); err == nil {
		want.urns = urns
	}
	return want
}

// match compares a listed post with the sent one. A post with the uploaded media is the sent one, whatever its text. A
// post with the text and other media, or with media of another number, leaves a doubt.
func (w wanted) match(post readback.Listed) readback.Match {
	text := w.text.match(post.Text)
	switch {
	case w.media == 0:
		return text
	case len(w.urns) > 0 && slices.Equal(post.Details, w.urns):
		return readback.Exact
	case text == readback.Exact && (len(w.urns) > 0 || len(post.Details) != w.media || w.text.empty()):
		return readback.Near
	default:
		return text
	}
}

// match compares a post's commentary with the sent text. LinkedIn returns the text in its own format. The commentary is
// also compared without unescaping, in case it is plain text.
func (s signature) match(commentary string) readback.Match {
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
	text = readback.Squeeze(text)
	return signature{
		words: linkPattern.ReplaceAllLiteralString(text, linkMark), links: linkPattern.FindAllString(text, -1),
	}
}

// empty reports whether there is no text at all.
func (s signature) empty() bool { return s.words == "" && len(s.links) == 0 }

// compare reports Near for equal words with different links, and for a text that LinkedIn truncated.
func (s signature) compare(want signature) readback.Match {
	const enough = 40 // bytes; different texts rarely share such a long prefix
	switch {
	case s.words == want.words && slices.Equal(s.links, want.links):
		return readback.Exact
	case s.words == want.words, len(s.words) >= enough && strings.HasPrefix(want.words, s.words):
		return readback.Near
	default:
		return readback.None
	}
}
