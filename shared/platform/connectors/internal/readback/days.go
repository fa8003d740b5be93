package readback

import (
	"slices"

	"fencepost.internal/shared/domain/analytics"
)

// Book collects the figures of one account by day. The responses of networks contain them by metric and by time window. It is not safe for concurrent use.
type Book struct {
	since, until analytics.Date
	days         map[analytics.Date]*analytics.ChannelDay
}

// NewBook returns an empty Book of the days from since to until, both included.
func NewBook(since, until analytics.Date) *Book {
	return &Book{since: since, until: until, days: make(map[analytics.Date]*analytics.ChannelDay)}
}

// Has reports whether the day is in the book's range.
func (b *Book) Has(date analytics.Date) bool { return date.Within(b.since, b.until) }

// Day returns the entry of the day, for the caller to fill in. The entry of a day outside the book's range is
// discarded.
func (b *Book) Day(date analytics.Date) *analytics.ChannelDay {
	if day, ok := b.days[date]; ok {
		return day
	}
	day := &analytics.ChannelDay{Date: date}
	if b.Has(date) {
		b.days[date] = day
	}
	return day
}

// Days returns the entries that hold a figure, oldest first.
func (b *Book) Days() []analytics.ChannelDay {
	days := make([]analytics.ChannelDay, 0, len(b.days))
	for date, day := range b.days {
		if *day != (analytics.ChannelDay{Date: date}) {
			days = append(days, *day)
		}
	}
	slices.SortFunc(days, func(a, b analytics.ChannelDay) int { return a.Date.Compare(b.Date) })
	return days
}

// Last returns the range of the book's latest days: at most the given number, and none after today. It returns false if
// the range is empty.
func (b *Book) Last(days int, today analytics.Date) (since, until analytics.Date, ok bool) {
	since, until = b.since, b.until
	if until.After(today) {
		until = today
	}
	if earliest := until.Add(1 - days); since.Before(earliest) {
		since = earliest
	}
	return since, until, !since.After(until)
}
