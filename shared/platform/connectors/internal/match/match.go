// Package match finds, among the posts that a network lists of an account, the one that a call made whose answer was
// lost. It serves connectors of the strength platform.ReconcileMatch whose networks give texts back as they were sent, but
// for whitespace.
package match

import (
	"html"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"socialpub.internal/shared/platform"
)

// Listed is one post of a listing.
type Listed struct {
	ID   string // empty when the network's is not of its shape
	Text string
	At   time.Time // when it was made; zero when the network's time cannot be read
	URL  string    // empty when it has none
}

// Match says how much a listed text is like the one that was sent.
type Match int

// From least to most.
const (
	None  Match = iota
	Near        // the network may have made the one of the other
	Exact       // the same
)

// Search gathers what the pages of a listing say. It is not safe for concurrent use.
type Search struct {
	sent    platform.Sent
	compare func(text string) Match
	doubt   bool
}

// New begins a search for the post of the call. Texts are the same but for whitespace and what is invisible; near are those
// of the same letters and digits.
func New(sent platform.Sent) *Search {
	text, letters := Squeeze(sent.Text), bare(sent.Text)
	return NewBy(sent, func(listed string) Match {
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

// NewBy is New for a network that does more to texts, with a comparison of its own.
func NewBy(sent platform.Sent, compare func(text string) Match) *Search {
	return &Search{sent: sent, compare: compare}
}

// Since is the earliest time at which the post can have been made.
func (s *Search) Since() time.Time { return s.sent.Earliest() }

// Until is the latest.
func (s *Search) Until() time.Time { return s.sent.Latest() }

// Read returns the post of this page that is ours, the one nearest to the call when there are several; false when there is
// none. Posts that belong to other posts of ours are passed over. What is ours and cannot be named or dated, or is ours but
// for signs and spaces, leaves a doubt.
func (s *Search) Read(page []Listed) (platform.Publication, bool) {
	var best Listed
	found, distance := false, time.Duration(0)
	for _, post := range page {
		match := s.compare(post.Text)
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

// Absence is the evidence once the whole listing was read and no page had the post.
func (s *Search) Absence() platform.Evidence {
	if s.doubt {
		return platform.EvidenceUnclear
	}
	return platform.EvidenceAbsent
}

func (s *Search) outside(at time.Time) bool {
	return !at.IsZero() && !s.sent.Within(at)
}

// Taken reports whether the post of that id belongs to another post of ours.
func (s *Search) Taken(id string) bool { return id != "" && s.sent.Taken != nil && s.sent.Taken(id) }

// Squeeze folds runs of whitespace and drops what is invisible, and composes letters.
func Squeeze(text string) string {
	visible := strings.Map(func(r rune) rune {
		if !unicode.IsSpace(r) && unicode.In(r, unicode.Cc, unicode.Cf) {
			return -1
		}
		return r
	}, norm.NFC.String(text))
	return strings.Join(strings.Fields(visible), " ")
}

// bare is the letters and digits of the text alone, in one case.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFC.String(html.UnescapeString(text)))
}
