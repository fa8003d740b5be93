package mail

import (
	"slices"
	"time"

	"fencepost.internal/shared/kernel/wallclock"
)

// Digests returns the kinds of digests. A person chooses them.
func Digests() []Kind { return []Kind{DigestDaily, DigestWeekly} }

// IsDigest reports whether the kind is that of a digest.
func (k Kind) IsDigest() bool { return slices.Contains(Digests(), k) }

// Digest sums up the posts of a workspace over a period.
type Digest struct {
	Zone      string  `json:"zone"` // of its times
	Published []Cause `json:"published,omitempty"`
	Failed    []Cause `json:"failed,omitempty"`
	Next      []Due   `json:"next,omitempty"` // the first of them
	NextPosts int     `json:"nextPosts"`
	Best      *Best   `json:"best,omitempty"`
}

// Due is a post that comes.
type Due struct {
	Cause

	At time.Time `json:"at"`
}

// Best is the post of the last seven days that most people have reacted to.
type Best struct {
	Cause

	Reactions int `json:"reactions"` // likes, comments, shares, saves and clicks
}

// Empty reports whether there is nothing to say.
func (d Digest) Empty() bool { return len(d.Published) == 0 && len(d.Failed) == 0 && d.NextPosts == 0 }

const week = 7

// DigestPeriod returns the day of the digest that is due at a time, and the period that it sums up: the day or the week before
// the hour. It returns false before the hour, for weekly digests on other days than Monday, and for an unknown zone.
func DigestPeriod(kind Kind, now time.Time, hour int, zone string) (day string, from, until time.Time, due bool) {
	in, err := time.LoadLocation(zone)
	if err != nil {
		return "", time.Time{}, time.Time{}, false
	}
	local := now.In(in)
	days := 1
	if kind == DigestWeekly {
		days = week
	}
	at := func(before int) time.Time {
		return wallclock.In(in, time.Date(local.Year(), local.Month(), local.Day()-before, hour, 0, 0, 0, time.UTC))
	}
	until = at(0)
	if now.Before(until) || kind == DigestWeekly && local.Weekday() != time.Monday {
		return "", time.Time{}, time.Time{}, false
	}
	return local.Format(time.DateOnly), at(days), until, true
}
