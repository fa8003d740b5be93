package analytics

import (
	"fmt"
	"time"

	"fencepost.internal/shared/kernel/apperr"
)

const (
	// DefaultDays is the number of days, including today, of a range that a client does not specify.
	DefaultDays = 30
	// MaxDays is the maximum number of days of a range.
	MaxDays = 365
)

// firstDay is the first day that a range may include. Its start is in the year 1 in every time zone; the database
// refuses earlier years.
var firstDay = Date{Year: 1, Month: time.January, Day: 2}

// Range is a range of days, including both ends.
type Range struct {
	From, To Date
}

// NewRange returns the requested range with defaults: a missing To is today, and a missing From gives the range 30
// days. The returned fields name the query parameters.
func NewRange(from, to, today Date) (Range, []apperr.Field) {
	r := Range{From: from, To: to}
	if r.To.IsZero() {
		r.To = today
	}
	if r.From.IsZero() {
		r.From = r.To.Add(1 - DefaultDays)
	}
	switch {
	case r.To.Before(r.From) && to.IsZero():
		return Range{}, []apperr.Field{
			{Pointer: "from", Message: fmt.Sprintf("must not be after today, %s in the workspace's time zone", today)},
		}
	case r.To.Before(r.From):
		return Range{}, []apperr.Field{{Pointer: "to", Message: "must not be before from"}}
	case r.Days() > MaxDays:
		return Range{}, []apperr.Field{
			{Pointer: "from", Message: fmt.Sprintf("must be within %d days of to: the range has %d days", MaxDays, r.Days())},
		}
	case r.From.Before(firstDay) && from.IsZero():
		return Range{}, []apperr.Field{{Pointer: "to", Message: fmt.Sprintf(
			"must be %s or later if from is omitted: the range has %d days", firstDay.Add(DefaultDays-1), DefaultDays)}}
	case r.From.Before(firstDay):
		return Range{}, []apperr.Field{{Pointer: "from", Message: fmt.Sprintf("must be %s or later", firstDay)}}
	}
	return r, nil
}

// Days returns the number of days in the range.
func (r Range) Days() int { return r.To.DaysSince(r.From) + 1 }

// Contains reports whether the day is in the range.
func (r Range) Contains(d Date) bool { return !d.Before(r.From) && !r.To.Before(d) }

// Instants returns the first instant of the range in a zone and the first instant after it.
func (r Range) Instants(zone *time.Location) (start, end time.Time) {
	return r.From.Start(zone), r.To.Add(1).Start(zone)
}

// Zone returns the time zone with the IANA name, or UTC if the name is unknown.
func Zone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}
