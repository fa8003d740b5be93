// Package analytics holds how channels and posts do: the figures that networks tell day by day, the ranges they are asked for,
// and how they are added up (specification, Analytics; decisions, section 8).
//
// The rules, each once:
//
//   - A figure that a network does not tell is nil, in a day as in a sum. Nil is never nought.
//   - Figures of a channel belong to one day. Followers are a state, the others what happened on that day.
//   - Figures of a post count from its publication on. What it gained in a range is the last value known in it minus the last
//     one known before it. A post that has none before it starts at nought if it was published within the range, or was read
//     first within a week of its publication. Any other starts at the first value known: what it had before is no gain.
//   - Networks correct themselves: a figure may shrink, and what was gained is then below nought. So the gains of two ranges
//     side by side always add up to the gain of both.
//   - The engagement rate is engagements ÷ impressions; where a day has no impressions, ÷ reach; where it has neither, there is
//     none. It is a ratio: 0.05 is five in a hundred. An average is all engagements ÷ all views they are of, so that a day
//     counts as much as it was seen, never an average of averages.
package analytics

import (
	"cmp"
	"errors"
	"time"
)

// Date is a day of the calendar; in which zone, says where it stands. The zero Date is none.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// ErrDate is returned by ParseDate for text that is not a day as ISO 8601 writes it.
var ErrDate = errors.New("must be a date, for example 2026-03-01")

// DateOf is the day that a moment falls on in the moment's own zone.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{Year: y, Month: m, Day: d}
}

// ParseDate reads a day as ISO 8601 writes it: 2026-03-01.
func ParseDate(text string) (Date, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || len(text) != len(time.DateOnly) || t.Year() == 0 {
		return Date{}, ErrDate
	}
	return DateOf(t), nil
}

// midnight is the day as an instant, for counting days: in UTC every day has 24 hours.
func (d Date) midnight() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// String is the day as ISO 8601 writes it.
func (d Date) String() string { return d.midnight().Format(time.DateOnly) }

// MarshalText is String.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText is ParseDate.
func (d *Date) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDate(string(text))
	return err
}

// IsZero reports whether this is no day.
func (d Date) IsZero() bool { return d == Date{} }

// AddDays is the day so many days later, or earlier.
func (d Date) AddDays(n int) Date { return DateOf(d.midnight().AddDate(0, 0, n)) }

// Compare is below zero when d is before o, zero when they are one day, and above when it is after.
func (d Date) Compare(o Date) int {
	return cmp.Or(cmp.Compare(d.Year, o.Year), cmp.Compare(d.Month, o.Month), cmp.Compare(d.Day, o.Day))
}

// Before reports whether d is an earlier day than o.
func (d Date) Before(o Date) bool { return d.Compare(o) < 0 }

// DaysSince is how many days after o this day is; below zero when it is before.
func (d Date) DaysSince(o Date) int {
	const day = 24 * time.Hour
	return int(d.midnight().Sub(o.midnight()) / day)
}

// Start is the first moment of the day in a zone: midnight, or what follows it where the clocks jump over it.
func (d Date) Start(zone *time.Location) time.Time {
	at := time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, zone)
	// Where midnight does not exist, time.Date may give a moment of the day before.
	for DateOf(at).Before(d) {
		_, after := at.ZoneBounds()
		if after.IsZero() {
			break
		}
		at = after
	}
	// Where it exists twice, time.Date may give the second one.
	if begins, _ := at.ZoneBounds(); !begins.IsZero() {
		_, now := at.Zone()
		_, before := begins.Add(-time.Nanosecond).In(zone).Zone()
		if earlier := at.Add(time.Duration(now-before) * time.Second); earlier.Before(begins) && before > now && DateOf(earlier.In(zone)) == d {
			at = earlier
		}
	}
	return at
}
