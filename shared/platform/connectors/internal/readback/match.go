// Package readback interprets what connectors read back from networks: the post created by a call whose response was lost,
// in a list of the account's posts, and the figures of an account by day.
package readback

import (
	"html"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"fencepost.internal/shared/platform"
)

// Listed is one post of a list.
type Listed struct {
	ID   string // empty if the network's id is malformed
	Text string
	At   time.Time // creation time; zero if it cannot be parsed
	URL  string    // empty if there is none
	// Details are other properties that the connector compares, such as the ids of the media.
	Details []string
}

// Match is the similarity of a listed text to the sent text.
type Match int

// In increasing order.
const (
	None  Match = iota
	Near        // the network may have changed the sent text into this one
	Exact       // equal
)

// Search collects the findings from the pages of a list. It serves connectors of the strength platform.ReconcileMatch whose
// networks return texts unchanged except for whitespace. It is not safe for concurrent use.
type Search struct {
	sent    platform.Sent
	compare func(Listed) Match
	doubt   bool
}

// NewSearch starts a search for the post of the call. Texts are equal if they differ only in whitespace and invisible
// characters. Texts are near if they have the same letters and digits.
func NewSearch(sent platform.Sent) *Search {
	text, letters := Squeeze(sent.Text), bare(sent.Text)
	return NewSearchBy(sent, func(listed string) Match {
		switch {
		case Squeeze(listed) == text:
			return Exact
		case letters != "" && bare(listed) == letters:
			return Near
		default:
			return None
		}
	})
}

// NewSearchBy is like NewSearch, with a comparison function for a network that changes texts in other ways.
func NewSearchBy(sent platform.Sent, compare func(text string) Match) *Search {
	return NewSearchOf(sent, func(post Listed) Match { return compare(post.Text) })
}

// NewSearchOf is like NewSearchBy, for posts that have more than a text.
func NewSearchOf(sent platform.Sent, compare func(Listed) Match) *Search {
	return &Search{sent: sent, compare: compare}
}

// Since returns the earliest time at which the post can have been created.
func (s *Search) Since() time.Time { return s.sent.Earliest() }

// Until returns the latest time at which the post can have been created.
func (s *Search) Until() time.Time { return s.sent.Latest() }

// Read returns the post of this page that the call created, or the one nearest in time if several match. It returns
// false if there is none. It skips posts that belong to other posts of this service. A matching post without an id or a
// time, or a near match, leaves the outcome unclear.
func (s *Search) Read(page []Listed) (platform.Publication, bool) {
	var best Listed
	found, distance := false, time.Duration(0)
	for _, post := range page {
		match := s.compare(post)
		if match == None || s.outside(post.At) || s.Taken(post.ID) {
			continue
		}
		if match == Near || post.ID == "" || post.At.IsZero() {
			s.doubt = true
			continue
		}
		if away := post.At.Sub(s.sent.At).Abs(); !found || away < distance {
			best, found, distance = post, true, away
		}
	}
	return platform.Publication{ExternalID: best.ID, URL: best.URL}, found
}

// Absence returns the evidence after the whole list was read and no page had the post.
func (s *Search) Absence() platform.Evidence {
	if s.doubt {
		return platform.EvidenceUnclear
	}
	return platform.EvidenceAbsent
}

func (s *Search) outside(at time.Time) bool {
	return !at.IsZero() && !s.sent.Within(at)
}

// Taken reports whether the post with this id belongs to another post of this service.
func (s *Search) Taken(id string) bool { return id != "" && s.sent.Taken != nil && s.sent.Taken(id) }

// Squeeze collapses whitespace, removes invisible characters, and composes letters (NFC).
func Squeeze(text string) string {
	visible := strings.Map(func(r rune) rune {
		if !unicode.IsSpace(r) && unicode.In(r, unicode.Cc, unicode.Cf) {
			return -1
		}
		return r
	}, norm.NFC.String(text))
	return strings.Join(strings.Fields(visible), " ")
}

// bare returns only the letters and digits of the text, in lower case.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFC.String(html.UnescapeString(text)))
}
