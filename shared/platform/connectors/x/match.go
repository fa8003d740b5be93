package x

import (
	"cmp"
	"html"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"fencepost.internal/shared/platform/connectors/internal/readback"
	"fencepost.internal/shared/platform/rules/textlen"
)

// listed is one post of a list.
type listed struct {
	ID        string    `json:"id"`
	Text      string    `json:"text"`
	CreatedAt time.Time `json:"created_at"`
	Entities  entities  `json:"entities"`
	Attached  struct {
		MediaKeys []string `json:"media_keys"`
	} `json:"attachments"`
	NotePost  *note `json:"note_post"`  // the full text if Text is truncated, in the response to post.fields
	NoteTweet *note `json:"note_tweet"` // the same in the response to tweet.fields

	Posts  []reference `json:"referenced_posts"`
	Tweets []reference `json:"referenced_tweets"` // the same in the response to tweet.fields
}

// reference names a post that a post replies to or quotes.
type reference struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// parent returns the id of the post that the post replies to; empty: none, or X does not say.
func (l listed) parent() string { return l.reference("replied_to") }

func (l listed) reference(kind string) string {
	for _, one := range slices.Concat(l.Posts, l.Tweets) {
		if one.Type == kind {
			return one.ID
		}
	}
	return ""
}

type note struct {
	Text     string   `json:"text"`
	Entities entities `json:"entities"`
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
	matchNear           // the same words with different links or media, or a text that X truncated
	matchExact
	matchSure // exactly the media that were uploaded for the post
)

// wanted describes the sent post for the search.
type wanted struct {
	text  signature
	media int      // number of attachments
	ids   []string // of the uploads; empty if unknown

	parent  string // id of the post that it replies to; empty: none
	mention string // with which X may begin the text of a reply

	quote string // id of the post that it quotes, with a link to which X ends the text; empty: none
}

// match compares the post with the sent one. X returns &, < and > escaped. Both the raw and the unescaped text are
// compared, because the sent text may itself contain an escape sequence.
func (l listed) match(want wanted) matchKind {
	if l.carries(want.ids) {
		return matchSure
	}
	switch l.parent() {
	case want.parent:
		return l.matchContent(want)
	case "": // X omits fields that it does not know
		return min(l.matchContent(want), matchNear)
	default:
		return matchNone
	}
}

func (l listed) matchContent(want wanted) matchKind {
	text := l.matchText(want)
	if want.media == 0 {
		return text
	}
	if text == matchExact && (len(l.Attached.MediaKeys) != want.media || want.text.empty()) {
		return matchNear
	}
	return text
}

// carries reports whether the post's media are these uploads. A media key is a number for the kind of media and the
// upload's id, like 3_1900000000000000001.
func (l listed) carries(ids []string) bool {
	return len(ids) > 0 && slices.EqualFunc(l.Attached.MediaKeys, ids, func(key, id string) bool {
		_, own, found := strings.Cut(key, "_")
		return found && own == id
	})
}

func (l listed) matchText(want wanted) matchKind {
	text, replaced := l.Text, l.Entities
	if full := cmp.Or(l.NotePost, l.NoteTweet); full != nil {
		text, replaced = full.Text, full.Entities
	}
	best, quotes := matchNone, l.reference("quoted") == want.quote
	for _, reading := range []string{text, html.UnescapeString(text)} {
		whole := replaced.expand(reading)
		best = max(best, signatureOf(whole).compare(want.text))
		if rest, mentions := strings.CutPrefix(whole, want.mention); mentions && want.mention != "" {
			best = max(best, signatureOf(rest).compare(want.text))
		}
		at := strings.LastIndexAny(whole, " \n") + 1
		if want.quote != "" && quoted(whole[at:]) == want.quote {
			best, quotes = max(best, signatureOf(whole[:at]).compare(want.text)), true
		}
	}
	switch {
	case want.quote == "":
		return best
	case quotes:
		return max(best, matchNear) // X may have changed the text in another way
	default:
		return min(best, matchNear)
	}
}

// expand replaces X's short links with the original ones, and removes the link that X appends for media.
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

// signature is a comparable form of a text that X may have changed. It holds the words without the whitespace and
// invisible characters that X trims, with each link replaced by a mark, and the links in canonical form.
type signature struct {
	words string
	links []string
}

// linkMark replaces a link. It is a private-use character, which does not occur in normal text.
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
	return signature{words: readback.Squeeze(words.String()), links: links}
}

// empty reports whether there is no text at all.
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

// canonicalLink returns the link without the parts that X changes when it expands one: the protocol, the case of the
// host, and a trailing slash.
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
