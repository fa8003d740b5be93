package x

import (
	"html"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"socialpub.internal/shared/platform/connectors/internal/match"
	"socialpub.internal/shared/platform/rules/textlen"
)

// listed is one post of a listing.
type listed struct {
	ID        string    `json:"id"`
	Text      string    `json:"text"`
	CreatedAt time.Time `json:"created_at"`
	Entities  entities  `json:"entities"`
	Attached  struct {
		MediaKeys []string `json:"media_keys"`
	} `json:"attachments"`
	NoteTweet *struct {
		Text     string   `json:"text"`
		Entities entities `json:"entities"`
	} `json:"note_tweet"` // the whole of a text whose listing is cut
}

type entities struct {
	URLs []struct {
		URL         string `json:"url"`
		ExpandedURL string `json:"expanded_url"`
		MediaKey    string `json:"media_key"`
	} `json:"urls"`
}

type matchKind int

const (
	matchNone matchKind = iota
	matchNear           // the same words with other links or media, or a text that X cut
	matchExact
	matchSure // the very media that were uploaded for the post
)

// wanted is what was sent, as it can be found again.
type wanted struct {
	text  signature
	media int      // how many attachments there were
	ids   []string // of the uploads; empty when they are not known
}

// match compares the post with what was sent. X returns &, < and > escaped; both readings are tried, because the
// text may itself hold an escape.
func (l listed) match(want wanted) matchKind {
	if want.media == 0 {
		return l.matchText(want.text)
	}
	if l.carries(want.ids) {
		return matchSure
	}
	text := l.matchText(want.text)
	if text == matchExact && (len(l.Attached.MediaKeys) != want.media || want.text.empty()) {
		return matchNear
	}
	return text
}

// carries reports whether the post's media are these uploads. A media key is the upload's id behind a number for its kind,
// like 3_1900000000000000001.
func (l listed) carries(ids []string) bool {
	return len(ids) > 0 && slices.EqualFunc(l.Attached.MediaKeys, ids, func(key, id string) bool {
		_, own, found := strings.Cut(key, "_")
		return found && own == id
	})
}

func (l listed) matchText(want signature) matchKind {
	text, replaced := l.Text, l.Entities
	if l.NoteTweet != nil {
		text, replaced = l.NoteTweet.Text, l.NoteTweet.Entities
	}
	best := matchNone
	for _, reading := range []string{text, html.UnescapeString(text)} {
		best = max(best, signatureOf(replaced.expand(reading)).compare(want))
	}
	return best
}

// expand puts the original links back in place of X's short ones, and drops the one that X appends for media.
func (e entities) expand(text string) string {
	for _, link := range e.URLs {
		switch {
		case link.URL == "":
		case link.MediaKey != "":
			text = strings.Replace(text, link.URL, "", 1)
		case link.ExpandedURL != "":
			text = strings.Replace(text, link.URL, link.ExpandedURL, 1)
		}
	}
	return text
}

// signature is a text as it can be compared after X has had its hands on it: the words without the whitespace and
// invisible characters that X trims, each link replaced by a mark, and the links apart in one form.
type signature struct {
	words string
	links []string
}

// linkMark stands for a link; it is a private-use character that no normalised text holds.
const linkMark = "\uE000"

func signatureOf(text string) signature {
	text = norm.NFC.String(text)
	var words strings.Builder
	var links []string
	at := 0
	for _, link := range textlen.Links(text) {
		words.WriteString(text[at:link.Start] + linkMark)
		links = append(links, canonicalLink(text[link.Start:link.End]))
		at = link.End
	}
	words.WriteString(text[at:])
	return signature{words: match.Squeeze(words.String()), links: links}
}

// empty reports that there is no text at all.
func (s signature) empty() bool { return s.words == "" && len(s.links) == 0 }

func (s signature) compare(want signature) matchKind {
	const ellipsis, enough = "…", 40
	switch {
	case s.words == want.words && slices.Equal(s.links, want.links):
		return matchExact
	case s.words == want.words:
		return matchNear
	case strings.HasSuffix(s.words, ellipsis) && len(s.words) > enough &&
		strings.HasPrefix(want.words, strings.TrimSuffix(s.words, ellipsis)):
		return matchNear
	default:
		return matchNone
	}
}

// canonicalLink is the link without what X adds or changes when it expands one: the protocol, the case of the host,
// a slash at the end of a bare host.
func canonicalLink(link string) string {
	if !strings.Contains(link, "://") {
		link = "http://" + link
	}
	parsed, err := url.Parse(link)
	if err != nil {
		return link
	}
	rest := strings.TrimSuffix(parsed.EscapedPath(), "/")
	if parsed.RawQuery != "" {
		rest += "?" + parsed.RawQuery
	}
	if parsed.Fragment != "" {
		rest += "#" + parsed.EscapedFragment()
	}
	return strings.ToLower(parsed.Host) + rest
}
