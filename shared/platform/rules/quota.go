package rules

import (
	"slices"
	"time"

	"fencepost.internal/shared/domain/post"
)

// QuotaPeriod is the length of the period of a Quota.
const QuotaPeriod = 24 * time.Hour

// Quota is the number of posts that a network accepts from an account, or from the application of the service, in any 24
// hours or in a calendar day. The zero Quota means that the network states none.
type Quota struct {
	Max    int
	Unsure bool // the number differs between accounts, or only integrators document it
	Shared bool // the posts of all channels of the network count together, because they use one application
	// Zone returns the zone of the calendar days that the network counts in. Nil: any 24 hours.
	Zone func() *time.Location
	// Of are the content types that count; empty: all.
	Of []post.ContentType
}

// IsZero reports whether the network states no quota.
func (q Quota) IsZero() bool { return q.Max == 0 }

// Counts reports whether posts of the content type count.
func (q Quota) Counts(t post.ContentType) bool { return len(q.Of) == 0 || slices.Contains(q.Of, t) }

// Period returns the times from and to of the posts that can share a period of the quota with a post at the given time.
// From is part of a calendar day.
func (q Quota) Period(at time.Time) (from, to time.Time) {
	if q.Zone == nil {
		return at.Add(-QuotaPeriod), at.Add(QuotaPeriod)
	}
	zone := q.Zone()
	year, month, day := at.In(zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, zone).UTC(), time.Date(year, month, day+1, 0, 0, 0, 0, zone).UTC()
}

// String describes the quota in a sentence; empty for the zero Quota.
func (q Quota) String() string {
	if q.IsZero() {
		return ""
	}
	who, about, what, period := "An account", "at most", "post", "in any 24 hours"
	if q.Shared {
		who = "All channels of the service together"
	}
	if q.Unsure {
		about = "about"
	}
	if len(q.Of) > 0 {
		what = list(words(q.Of), "and") + " post"
	}
	if q.Zone != nil {
		period = "a day in the zone " + q.Zone().String()
	}
	return who + " can publish " + about + " " + plural(q.Max, what) + " through the API " + period + "."
}
