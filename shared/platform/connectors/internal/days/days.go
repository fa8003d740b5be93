// Package days gathers the figures of an account by day, as the answers of a network bring them: metric by metric, window
// by window.
package days

import (
	"slices"

	"socialpub.internal/shared/platform"
)

// Book is the days of one account. It is not safe for concurrent use.
type Book struct {
	since, until platform.Date
	days         map[platform.Date]*platform.AccountDay
}

// New opens a book of the days from since to until, both included.
func New(since, until platform.Date) *Book {
	return &Book{since: since, until: until, days: make(map[platform.Date]*platform.AccountDay)}
}

// Has reports that the day is one of the book's.
func (b *Book) Has(date platform.Date) bool { return date.Within(b.since, b.until) }

// Day is the entry of the day, to be filled in. What is written to that of another day than the book's is lost.
func (b *Book) Day(date platform.Date) *platform.AccountDay {
	if day, ok := b.days[date]; ok {
		return day
	}
	day := &platform.AccountDay{Date: date}
	if b.Has(date) {
		b.days[date] = day
	}
	return day
}

// Days are the entries that hold a figure, oldest first.
func (b *Book) Days() []platform.AccountDay {
	days := make([]platform.AccountDay, 0, len(b.days))
	for date, day := range b.days {
		if *day != (platform.AccountDay{Date: date}) {
			days = append(days, *day)
		}
	}
	slices.SortFunc(days, func(a, b platform.AccountDay) int { return a.Date.Compare(b.Date) })
	return days
}

// Last is the stretch of the book's latest days, so many at most and none after today; false when there is none.
func (b *Book) Last(days int, today platform.Date) (since, until platform.Date, ok bool) {
	since, until = b.since, b.until
	if until.After(today) {
		until = today
	}
	if earliest := until.Add(1 - days); since.Before(earliest) {
		since = earliest
	}
	return since, until, !since.After(until)
}
