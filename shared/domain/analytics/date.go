// Package analytics defines the figures of channels and posts: the values that networks report per day, the ranges that
// clients request, and how values are summed (docs/contract.md, Analytics).
//
// Rules:
//
//   - A figure that a network does not report is nil, both for a day and in a sum. Nil and zero are different.
//   - Figures of a channel belong to one day. Followers are a state; the others count events of that day.
//   - Figures of a post are cumulative since its publication. Its gain in a range is the last known value in the
//     range minus the last known value before it. A post without a value before the range starts at zero if it was
//     published within the range, or was first read within a week of its publication. Any other post starts at the
//     first known value, because earlier values are not a gain of the range.
//   - Networks correct their figures: a figure may shrink, and the gain is then negative. Thus the gains of two
//     adjacent ranges always add up to the gain of both.
//   - The engagement rate is engagements ÷ impressions; without impressions, engagements ÷ reach; without either,
//     there is none. It is a ratio: 0.05 means 5 percent. An average is the sum of engagements ÷ the sum of the
//     corresponding views, so that each day is weighted by its views. It is never an average of averages.
package analytics

import (
	"cmp"
	"errors"
	"iter"
	"time"
)

// Date is a calendar day without a time zone; its context defines the zone. The zero Date means "none".
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// ErrDate is returned by ParseDate for text that is not an ISO 8601 date.
var ErrDate = errors.New("must be a date, for example 2026-03-01")

// DateOf returns the day of an instant in the instant's own zone.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{Year: y, Month: m, Day: d}
}

// ParseDate parses an ISO 8601 date, such as 2026-03-01.
func ParseDate(text string) (Date, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || len(text) != len(time.DateOnly) || t.Year() == 0 {
		return Date{}, ErrDate
	}
	return DateOf(t), nil
}

// midnight returns the day as an instant in UTC, where every day has 24 hours, for counting days.
func (d Date) midnight() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// String returns the date in ISO 8601 form.
func (d Date) String() string { return d.midnight().Format(time.DateOnly) }

// MarshalText returns the same text as String.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText parses text like ParseDate.
func (d *Date) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDate(string(text))
	return err
}

// IsZero reports whether the date is unset.
func (d Date) IsZero() bool { return d == Date{} }

// Add returns the date n days later, or earlier if n is negative.
func (d Date) Add(n int) Date { return DateOf(d.midnight().AddDate(0, 0, n)) }

// Compare returns a negative number if d is before o, zero if they are equal, and a positive number if d is after o.
func (d Date) Compare(o Date) int {
	return cmp.Or(cmp.Compare(d.Year, o.Year), cmp.Compare(d.Month, o.Month), cmp.Compare(d.Day, o.Day))
}

// Before reports whether d is an earlier day than o.
func (d Date) Before(o Date) bool { return d.Compare(o) < 0 }

// After reports whether d is a later day than o.
func (d Date) After(o Date) bool { return d.Compare(o) > 0 }

// Within reports whether d is between since and until, both included.
func (d Date) Within(since, until Date) bool { return !d.Before(since) && !d.After(until) }

// Next returns the following day.
func (d Date) Next() Date { return d.Add(1) }

// DaysSince returns the number of days from o to d; it is negative if d is before o.
func (d Date) DaysSince(o Date) int {
	const day = 24 * time.Hour
	return int(d.midnight().Sub(o.midnight()) / day)
}

// Start returns the first instant of the day in a zone: midnight, or the first instant after it if the clocks skip
// midnight.
func (d Date) Start(zone *time.Location) time.Time {
	at := time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, zone)
	// If midnight does not exist, time.Date may return an instant of the day before.
	for DateOf(at).Before(d) {
		_, after := at.ZoneBounds()
		if after.IsZero() {
			break
		}
		at = after
	}
	// If midnight exists twice, time.Date may return the second one.
	if begins, _ := at.ZoneBounds(); !begins.IsZero() {
		_, now := at.Zone()
		_, before := begins.Add(-time.Nanosecond).In(zone).Zone()
		if earlier := at.Add(time.Duration(now-before) * time.Second); earlier.Before(begins) && before > now &&
			DateOf(earlier.In(zone)) == d {
			at = earlier
		}
	}
	return at
}

// DaysFrom iterates over the days from since to until, both included, oldest first.
func DaysFrom(since, until Date) iter.Seq[Date] {
	return func(yield func(Date) bool) {
		for day := since; !day.After(until); day = day.Next() {
			if !yield(day) {
				return
			}
		}
	}
}

// Windows splits the days from since to until, both included, into consecutive ranges of at most the given number of
// days, oldest first. Networks that limit the range of one request need it.
func Windows(since, until Date, days int) iter.Seq2[Date, Date] {
	return func(yield func(Date, Date) bool) {
		for start := since; !start.After(until); start = start.Add(days) {
			end := start.Add(days - 1)
			if end.After(until) {
				end = until
			}
			if !yield(start, end) {
				return
			}
		}
	}
}
