// Package postmatch finds, among the posts that a network lists of an account, the one that a call made whose answer was
// lost. It serves connectors of the strength platform.ReconcileMatch whose networks give texts back as they were sent, but
// for whitespace.
package postmatch

import (
	"html"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"socialpub.internal/shared/platform"
)

// The window around the call in which its post may stand.
const (
	windowBefore = 2 * time.Minute  // clocks may differ
	windowAfter  = 30 * time.Minute // a request may linger on its way
)

// Listed is one post of a listing.
type Listed struct {
	ID   string // empty when the network's is not of its shape
	Text string
	At   time.Time // when it was made; zero when the network's time cannot be read
	URL  string    // empty when it has none
}

// Search gathers what the pages of a listing say. It is not safe for concurrent use.
type Search struct {
	sent  platform.Sent
	text  string
	bare  string
	doubt bool
}

// New begins a search for the post of the call.
func New(sent platform.Sent) *Search {
	return &Search{sent: sent, text: squeeze(sent.Text), bare: bare(sent.Text)}
}

// Since is the earliest time at which the post can have been made.
func (s *Search) Since() time.Time { return s.sent.At.Add(-windowBefore) }

// Until is the latest.
func (s *Search) Until() time.Time { return s.sent.At.Add(windowAfter) }

// Read returns the post of this page that is ours, the one nearest to the call when there are several; false when there is
// none. Posts that belong to other posts of ours are passed over. What is ours and cannot be named or dated, or is ours but
// for signs and spaces, leaves a doubt.
func (s *Search) Read(page []Listed) (platform.Publication, bool) {
	var best Listed
	found, distance := false, time.Duration(0)
	for _, post := range page {
		match := s.compare(post.Text)
		if match == matchNone || s.outside(post.At) || s.taken(post.ID) {
			continue
		}
		if match == matchNear || post.ID == "" || post.At.IsZero() {
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
	return !at.IsZero() && (at.Before(s.Since()) || at.After(s.Until()))
}

func (s *Search) taken(id string) bool { return id != "" && s.sent.Taken != nil && s.sent.Taken(id) }

type matchKind int

const (
	matchNone matchKind = iota
	matchNear           // the same letters and digits: the network may have changed the rest
	matchExact
)

func (s *Search) compare(text string) matchKind {
	switch {
	case squeeze(text) == s.text:
		return matchExact
	case s.bare != "" && bare(text) == s.bare:
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
