package platform

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Date is a calendar day in the time zone in which a network reports.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// ErrDate is returned for text that is not a date.
var ErrDate = errors.New("not a date like 2006-01-02")

// DateOf returns the calendar day of the instant in the instant's own zone.
func DateOf(at time.Time) Date {
	year, month, day := at.Date()
	return Date{Year: year, Month: month, Day: day}
}

// ParseDate parses a date like 2006-01-02. It returns ErrDate for anything else, including a day that does not exist.
func ParseDate(text string) (Date, error) {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return Date{}, ErrDate
	}
	return DateOf(at), nil
}

// String formats the date like 2006-01-02.
func (d Date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day) }

// IsZero reports whether the date is the zero Date.
func (d Date) IsZero() bool { return d == Date{} }

// Start returns the instant at which the day starts in the zone.
func (d Date) Start(zone *time.Location) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, zone)
}

// Add returns the date the given number of days later, or earlier if days is negative.
func (d Date) Add(days int) Date {
	return DateOf(time.Date(d.Year, d.Month, d.Day+days, 0, 0, 0, 0, time.UTC))
}

// Next returns the following day.
func (d Date) Next() Date { return d.Add(1) }

// Compare returns a negative number if d is before other, zero if they are equal, and a positive number if d is after
// other.
func (d Date) Compare(other Date) int {
	return cmp.Or(cmp.Compare(d.Year, other.Year), cmp.Compare(d.Month, other.Month), cmp.Compare(d.Day, other.Day))
}

// Before reports whether d is earlier than other.
func (d Date) Before(other Date) bool { return d.Compare(other) < 0 }

// After reports whether d is later than other.
func (d Date) After(other Date) bool { return d.Compare(other) > 0 }

// Within reports whether d is between since and until, both included.
func (d Date) Within(since, until Date) bool { return !d.Before(since) && !d.After(until) }

// DaysUntil returns the number of days from d to other. It is negative if other is earlier.
func (d Date) DaysUntil(other Date) int {
	const day = 24 * time.Hour
	return int(other.Start(time.UTC).Sub(d.Start(time.UTC)) / day)
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
