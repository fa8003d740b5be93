package slot

import "time"

// wall is a wall-clock date and time, as the seconds since the clock showed midnight of 1 January 1970. It is not an
// instant: the clock may show it never, once or twice.
type wall int64

const (
	oneDay wall = 24 * 60 * 60
	// The offsets in zone files are less than 26 hours east and 25 hours west (RFC 9636, section 3.2).
	mostEast wall = 26 * 60 * 60
)

// wallOf returns the wall-clock time in t's zone at t, to the second.
func wallOf(t time.Time) wall {
	_, offset := t.Zone()
	return wall(t.Unix() + int64(offset))
}

func (w wall) add(seconds wall) wall { return w + seconds }

// midnight returns the start of the day.
func (w wall) midnight() wall {
	into := w % oneDay
	if into < 0 { // before 1970
		into += oneDay
	}
	return w - into
}

func (w wall) weekday() time.Weekday { return time.Unix(int64(w), 0).UTC().Weekday() }

// firstShown returns the first instant, in UTC, at which the zone's clock shows w or later. If the clock shows w, this
// is the first time that it does so; if the clock skips w, this is the first instant after the jump.
//
// It walks through the zone's periods of constant offset. Package time's Date is not usable here: which of two instants
// it returns, and to which side of a jump it rounds, differs between zones.
func firstShown(w wall, zone *time.Location) time.Time {
	at := time.Unix(int64(w-mostEast), 0).In(zone) // no clock shows w earlier
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
		end = t.Add(time.Duration(oneDay-wall(t.Unix()).sinceMidnight()) * time.Second)
	}
	return end, false
}

func (w wall) sinceMidnight() wall { return w - w.midnight() }
