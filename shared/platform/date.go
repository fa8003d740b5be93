package platform

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Date is a day of the calendar in the zone a network reports in.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// ErrDate is returned for a text that is no date.
var ErrDate = errors.New("not a date like 2006-01-02")

// DateOf is the day of the instant in the instant's own zone.
func DateOf(at time.Time) Date {
	year, month, day := at.Date()
	return Date{Year: year, Month: month, Day: day}
}

// ParseDate reads a date like 2006-01-02; ErrDate for anything else, also for a day that no calendar has.
func ParseDate(text string) (Date, error) {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return Date{}, ErrDate
	}
	return DateOf(at), nil
}

// String writes the date like 2006-01-02.
func (d Date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day) }

// IsZero reports a date that was never set.
func (d Date) IsZero() bool { return d == Date{} }

// Start is the instant at which the day begins in the zone.
func (d Date) Start(zone *time.Location) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, zone)
}

// Add is the date so many days later, earlier when days is negative.
func (d Date) Add(days int) Date {
	return DateOf(time.Date(d.Year, d.Month, d.Day+days, 0, 0, 0, 0, time.UTC))
}

// Next is the day after.
func (d Date) Next() Date { return d.Add(1) }

// Compare is negative when the date is before the other, zero when they are the same day, positive when it is after.
func (d Date) Compare(other Date) int {
	return cmp.Or(cmp.Compare(d.Year, other.Year), cmp.Compare(d.Month, other.Month), cmp.Compare(d.Day, other.Day))
}

// Before reports that the date is earlier than the other.
func (d Date) Before(other Date) bool { return d.Compare(other) < 0 }

// After reports that the date is later than the other.
func (d Date) After(other Date) bool { return d.Compare(other) > 0 }

// Within reports that the date is one of the days from since to until, both included.
func (d Date) Within(since, until Date) bool { return !d.Before(since) && !d.After(until) }

// DaysUntil is how many days later the other date is; negative when it is earlier.
func (d Date) DaysUntil(other Date) int {
	const day = 24 * time.Hour
	return int(other.Start(time.UTC).Sub(d.Start(time.UTC)) / day)
}

// DaysFrom goes through the days from since to until, both included, oldest first.
func DaysFrom(since, until Date) iter.Seq[Date] {
	return func(yield func(Date) bool) {
		for day := since; !day.After(until); day = day.Next() {
			if !yield(day) {
				return
			}
		}
	}
}

// Windows cuts the days from since to until, both included, into stretches of so many days at most, oldest first. It is for
// networks that answer for a bounded stretch alone.
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
