package linkpage

import (
	"time"

	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// The range of analytics, in days (decisions, section 8).
const (
	DefaultDays = 30
	MaxDays     = 365
)

// MaxSourceVisitors bounds the unique visitors that one address (of IPv6, one /64 network) adds to a page in a day. An office or a mobile
// carrier may have many people behind one address; a program that changes its User-Agent has one.
const MaxSourceVisitors = 100

// Period is a range of days in UTC, both ends included.
type Period struct{ From, To time.Time }

// NewPeriod checks a range; a zero end is filled in so that it has 30 days and ends today. VALIDATION_FAILED when it is turned
// around or too long.
func NewPeriod(from, to, now time.Time) (Period, error) {
	p := Period{From: day(from), To: day(to)}
	switch {
	case from.IsZero() && to.IsZero():
		p.To = day(now)
		p.From = p.To.AddDate(0, 0, 1-DefaultDays)
	case from.IsZero():
		p.From = p.To.AddDate(0, 0, 1-DefaultDays)
	case to.IsZero():
		p.To = day(now)
	}
	var f faults
	switch {
	case p.To.Before(p.From):
		f.add("from", "is after to")
	case p.Days() > MaxDays:
		f.add("from", "is more than %d days before to", MaxDays)
	}
	return p, apperr.Invalid(f)
}

// Days is how many days the range has.
func (p Period) Days() int { return int(p.To.Sub(p.From)/(24*time.Hour)) + 1 }

func day(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// DayOf is the day that a visit counts for, in UTC.
func DayOf(t time.Time) time.Time { return day(t) }

// Analytics is how a page was visited. Programs that read pages by themselves are not counted.
type Analytics struct {
	PageID ident.LinkPage
	Period Period
	// Visitors are counted by the day: somebody who comes on two days counts twice, because nothing tells that it was the same.
	Views, Visitors, Clicks int64
	Days                    []DayVisits   // every day of the period, oldest first
	Blocks                  []BlockClicks // most clicked first
}

// DayVisits is one day of a page.
type DayVisits struct {
	Day                     time.Time
	Views, Visitors, Clicks int64
}

// BlockClicks is how often a block was clicked.
type BlockClicks struct {
	BlockID ident.LinkBlock
	Type    BlockType // empty, like Label, once the block was deleted
	Label   string
	Clicks  int64
	Days    []DayClicks // days with clicks, oldest first
}

// DayClicks is one day of a block.
type DayClicks struct {
	Day    time.Time
	Clicks int64
}
