package slot

import "time"

// wall is what a clock on the wall shows, date and time, as the seconds that have passed on it since it showed midnight of 1
// January 1970. It is no instant: the clock may show it never, once or twice.
type wall int64

const (
	oneDay wall = 24 * 60 * 60
	// The offsets of zone files are less than 26 hours east and 25 hours west (RFC 9636, section 3.2).
	mostEast wall = 26 * 60 * 60
)

// wallOf is what the clock of t's zone shows at t, to the second.
func wallOf(t time.Time) wall {
	_, offset := t.Zone()
	return wall(t.Unix() + int64(offset))
}

func (w wall) add(seconds wall) wall { return w + seconds }

// midnight is the beginning of the day that the clock shows.
func (w wall) midnight() wall {
	into := w % oneDay
	if into < 0 { // before 1970
		into += oneDay
	}
	return w - into
}

func (w wall) weekday() time.Weekday { return time.Unix(int64(w), 0).UTC().Weekday() }

// firstShown is the first instant, in UTC, at which the clock of the zone shows w or later. When it shows w at all, that is the
// first time it does; when it jumps over w, that is the first instant after the jump.
//
// It walks through the zone's periods of one offset. Package time's Date would not do: which of two instants it returns, and to
// which side of a jump it goes, differs from zone to zone.
func firstShown(w wall, zone *time.Location) time.Time {
	at := time.Unix(int64(w-mostEast), 0).In(zone) // no clock shows w before
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

// periodEnd is an instant after t up to which the clock of t's zone keeps its offset.
func periodEnd(t time.Time) (end time.Time, forever bool) {
	_, end = t.ZoneBounds()
	if end.IsZero() {
		return end, true
	}
	if !end.After(t) {
		// Package time takes every year to have 365 days when it follows a zone's rule for the years to come, so on the last day
		// of a leap year the end is past. The offset stays until midnight UTC: no rule ends its year with a change.
		end = t.Add(time.Duration(oneDay-wall(t.Unix()).sinceMidnight()) * time.Second)
	}
	return end, false
}

func (w wall) sinceMidnight() wall { return w - w.midnight() }
