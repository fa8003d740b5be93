// Package wallclock computes with the times that a clock on a wall shows: dates and times of day without an offset
// (docs/contract.md, Times).
//
// A time zone maps each of them to one instant. A time that the clocks skip is the first instant after the gap, and a
// time that they show twice is the first of both instants.
package wallclock

import "time"

// Time is a wall-clock date and time, as the seconds since the clock showed midnight of 1 January 1970. It is not an
// instant: the clock may show it never, once or twice.
type Time int64

const (
	// Day is the length of a day without a change of the clocks.
	Day Time = 24 * 60 * 60
	// The offsets in zone files are less than 26 hours east and 25 hours west (RFC 9636, section 3.2).
	mostEast Time = 26 * 60 * 60
)

// Of returns the wall-clock time in t's zone at t, to the second.
func Of(t time.Time) Time {
	_, offset := t.Zone()
	return Time(t.Unix() + int64(offset))
}

// In returns the instant at which the clock of the zone shows the date and time of local, with its fraction of a second.
// The zone of local has no effect.
func In(zone *time.Location, local time.Time) time.Time {
	w := Of(local)
	at := w.FirstShown(zone)
	if Of(at.In(zone)) != w { // the clocks skip the time
		return at
	}
	return at.Add(time.Duration(local.Nanosecond()))
}

// Midnight returns the start of the day.
func (w Time) Midnight() Time {
	into := w % Day
	if into < 0 { // before 1970
		into += Day
	}
	return w - into
}

// Weekday returns the day of the week.
func (w Time) Weekday() time.Weekday { return w.utc().Weekday() }

// utc returns the instant at which a clock in UTC shows w.
func (w Time) utc() time.Time { return time.Unix(int64(w), 0).UTC() }

// FirstShown returns the first instant, in UTC, at which the zone's clock shows w or later. If the clock shows w, this
// is the first time that it does so; if the clock skips w, this is the first instant after the jump.
//
// It walks through the zone's periods of constant offset. Package time's Date is not usable here: which of two instants
// it returns, and to which side of a jump it rounds, differs between zones.
func (w Time) FirstShown(zone *time.Location) time.Time {
	at := (w - mostEast).utc().In(zone) // no clock shows w earlier
	for {
		end, forever := periodEnd(at)
		_, offset := at.Zone()
		shown := max(int64(w)-int64(offset), at.Unix())
		if forever || shown < end.Unix() {
			return time.Unix(shown, 0).UTC()
		}
		at = end
	}
}

// periodEnd returns an instant after t up to which t's zone keeps its offset.
func periodEnd(t time.Time) (end time.Time, forever bool) {
	_, end = t.ZoneBounds()
	if end.IsZero() {
		return end, true
	}
	if !end.After(t) {
		// Package time assumes 365 days for every year when it applies a zone's rule for future years, so on the last
		// day of a leap year the end is in the past. The offset stays until midnight UTC, because no rule changes the
		// offset at the end of its year.
		into := Time(t.Unix()) - Time(t.Unix()).Midnight()
		end = t.Add(time.Duration(Day-into) * time.Second)
	}
	return end, false
}
