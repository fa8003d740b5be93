package linkpage

import (
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Ranges of analytics, in days (docs/contract.md, Link pages).
const (
	DefaultDays = 30
	MaxDays     = 365
)

// MaxSourceVisitors limits the unique visitors per page and day that one IP address (for IPv6, one /64 network) can
// add. An office or a mobile carrier may have many people behind one address; the limit stops a program that changes
// its User-Agent.
const MaxSourceVisitors = 100

// firstDay is the first day that a period may include; the database refuses years before the year 1. The day before it
// is the zero time, which means that a bound is omitted.
var firstDay = time.Date(1, time.January, 2, 0, 0, 0, 0, time.UTC)

// Period is a range of days in UTC, including both ends.
type Period struct{ From, To time.Time }

// NewPeriod returns a range of days. A missing end is filled in so that the range has 30 days or ends today. It returns
// VALIDATION_FAILED if the range is reversed, too long, or starts before the year 1.
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
	case p.From.Before(firstDay):
		f.add("to", "must be %s or later if from is omitted: the range has %d days",
			firstDay.AddDate(0, 0, DefaultDays-1).Format(time.DateOnly), DefaultDays)
	}
	return p, apperr.Invalid(f)
}

// Days returns the number of days in the range.
func (p Period) Days() int { return int(p.To.Sub(p.From)/(24*time.Hour)) + 1 }

func day(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// DayOf returns the day, in UTC, to which a visit is counted.
func DayOf(t time.Time) time.Time { return day(t) }

// Analytics holds the visits of a page. Visits by bots are not counted.
type Analytics struct {
	PageID ident.LinkPage
	Period Period
	// Visitors are counted per day: a person who visits on two days counts twice, because visits on different days are
	// not linked.
	Views, Visitors, Clicks int64
	Days                    []DayVisits   // every day of the period, oldest first
	Blocks                  []BlockClicks // most clicked first
}

// DayVisits holds the visits of a page on one day.
type DayVisits struct {
	Day                     time.Time
	Views, Visitors, Clicks int64
}

// BlockClicks holds the clicks on a block.
type BlockClicks struct {
	BlockID ident.LinkBlock
	Type    BlockType // empty, like Label, once the block was deleted
	Label   string
	Clicks  int64
	Days    []DayClicks // days with clicks, oldest first
}

// DayClicks holds the clicks on a block on one day.
type DayClicks struct {
	Day    time.Time
	Clicks int64
}
