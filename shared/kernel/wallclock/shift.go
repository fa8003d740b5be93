package wallclock

import (
	"errors"
	"regexp"
	"strconv"
	"time"
)

// Shift is a distance between two wall-clock times. Its months have the lengths of the calendar.
type Shift struct {
	months  int
	seconds Time
}

// The faults of a text, worded for the tenant.
var (
	errShift = errors.New("must be an ISO 8601 duration, such as P1D, -P7D or PT2H30M; its numbers are whole and have at " +
		"most 6 digits")
	errNoShift = errors.New("is zero and moves nothing; send another duration")
)

// shift matches a duration: an optional sign, then years, months, weeks, days, and after T hours, minutes, seconds.
var shift = regexp.MustCompile(`^([+-]?)P(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})W)?(?:(\d{1,6})D)?` +
	`(T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$`)

// ParseShift parses an ISO 8601 duration with an optional sign, such as P1D, -P7D or PT2H. The error is worded for the
// tenant; it is also returned for a duration of zero.
func ParseShift(text string) (Shift, error) {
	parts := shift.FindStringSubmatch(text)
	if len(parts) == 0 || parts[6] == "T" || text[len(text)-1] == 'P' {
		return Shift{}, errShift
	}
	number := func(part int) int {
		n, _ := strconv.Atoi(parts[part]) // 0 for a part that is absent
		return n
	}
	const (
		monthsOfYear      = 12
		week              = 7 * Day
		hour         Time = 60 * 60
		minute       Time = 60
	)
	out := Shift{
		months: number(2)*monthsOfYear + number(3),
		seconds: Time(number(4))*week + Time(number(5))*Day + Time(number(7))*hour + Time(number(8))*minute +
			Time(number(9)),
	}
	if parts[1] == "-" {
		out.months, out.seconds = -out.months, -out.seconds
	}
	if out == (Shift{}) {
		return out, errNoShift
	}
	return out, nil
}

// IsZero reports whether the shift moves nothing.
func (s Shift) IsZero() bool { return s == Shift{} }

// From returns the instant whose wall-clock time in the zone is that of at, moved by the shift: first by its months, on
// the same day or the last one of a shorter month, then by the rest.
func (s Shift) From(at time.Time, zone *time.Location) time.Time {
	local := Of(at.In(zone)).utc()
	day := local.Day()
	first := local.AddDate(0, s.months, 1-day)
	last := first.AddDate(0, 1, -1).Day()
	moved := Of(first.AddDate(0, 0, min(day, last)-1)) + s.seconds
	return In(zone, moved.utc().Add(time.Duration(at.Nanosecond())))
}
