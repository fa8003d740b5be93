package analytics

import (
	"fmt"
	"time"

	"socialpub.internal/shared/kernel/apperr"
)

const (
	// DefaultDays is how many days a range has when none is asked for, today included.
	DefaultDays = 30
	// MaxDays is how many days a range can have.
	MaxDays = 365
)

// Range is a stretch of days, both ends included.
type Range struct {
	From, To Date
}

// NewRange completes what was asked for: without a To it ends today, and without a From it has 30 days. The faults are all at
// once, by the names of the parameters.
func NewRange(from, to, today Date) (Range, []apperr.Field) {
	r := Range{From: from, To: to}
	if r.To.IsZero() {
		r.To = today
	}
	if r.From.IsZero() {
		r.From = r.To.AddDays(1 - DefaultDays)
	}
	switch {
	case r.To.Before(r.From) && to.IsZero():
		return Range{}, []apperr.Field{{Pointer: "from", Message: fmt.Sprintf("must not be after today, %s in the workspace's time zone", today)}}
	case r.To.Before(r.From):
		return Range{}, []apperr.Field{{Pointer: "to", Message: "must not be before from"}}
	case r.Days() > MaxDays:
		return Range{}, []apperr.Field{{Pointer: "from", Message: fmt.Sprintf("must be within %d days of to: the range has %d days", MaxDays, r.Days())}}
	}
	return r, nil
}

// Days is how many days the range has.
func (r Range) Days() int { return r.To.DaysSince(r.From) + 1 }

// Contains reports whether the day lies in the range.
func (r Range) Contains(d Date) bool { return !d.Before(r.From) && !r.To.Before(d) }

// Instants are the first moment of the range in a zone and the first one after it.
func (r Range) Instants(zone *time.Location) (start, end time.Time) {
	return r.From.Start(zone), r.To.AddDays(1).Start(zone)
}

// Zone is a time zone by its IANA name; UTC for one that is not known.
func Zone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}
