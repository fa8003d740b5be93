package apiforms

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"fencepost.internal/services/internal/places"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/rfc3339"
	"fencepost.internal/shared/kernel/wallclock"
)

// Zoned is the time zone beside a publish time (docs/contract.md, Times).
type Zoned struct {
	Timezone string `json:"timezone,omitempty" nullable:"true" minLength:"1" example:"Europe/Berlin" doc:"IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is valid beside any."`
}

// errNoZone is rfc3339.ErrOffset for a time that may have a time zone beside it.
var errNoZone = fmt.Errorf("%w; or send its time zone beside it as timezone, for example Europe/Berlin", rfc3339.ErrOffset)

// moment parses a publish time. Pointer is the location of the text. A text that is no time at all has the fault form, or
// that of the parser if form is nil.
func (z Zoned) moment(pointer, text string, form error) (time.Time, []apperr.Field) {
	faults := z.timezoneFaults()
	at, err := rfc3339.Parse(text)
	switch {
	case errors.Is(err, rfc3339.ErrForm) && form != nil:
		err = form
	case errors.Is(err, rfc3339.ErrOffset) && z.Timezone == "":
		err = errNoZone
	case errors.Is(err, rfc3339.ErrOffset):
		at, err = z.instant(text)
	case err == nil:
		err = z.contradiction(at, offsetOf(text))
	}
	if err != nil {
		faults = append(faults, apperr.Field{Pointer: pointer, Message: err.Error()})
	}
	return stored(at), faults
}

// instant returns the instant of a time without an offset; zero in an unknown zone, which is a fault of its own.
func (z Zoned) instant(text string) (time.Time, error) {
	local, err := rfc3339.Parse(text + "Z")
	zone, known := places.LoadZone(z.Timezone)
	if err != nil || !known {
		return time.Time{}, err
	}
	return wallclock.In(zone, local), nil
}

// contradiction returns the fault of an offset that the zone does not have at that time. UTC contradicts no zone
// (RFC 9557, section 3.4).
func (z Zoned) contradiction(at time.Time, offset string) error {
	zone, known := places.LoadZone(z.Timezone)
	if offset == "" || !known {
		return nil
	}
	if there := at.In(zone).Format(formatOffset); there != offset {
		return fmt.Errorf("has the offset %s, but %s has %s at that time; omit the offset, or timezone", offset, z.Timezone,
			there)
	}
	return nil
}

const formatOffset = "-07:00"

// offsetOf returns the offset of a valid time, or "" for UTC. -00:00 is UTC too (RFC 9557, section 2.2).
func offsetOf(text string) string {
	offset := text[max(0, len(text)-len("+00:00")):]
	if !strings.HasPrefix(offset, "+") && !strings.HasPrefix(offset, "-") || offset == "-00:00" {
		return ""
	}
	return offset
}

// timezoneFaults returns the fault of an unknown time zone.
func (z Zoned) timezoneFaults() []apperr.Field {
	if _, known := places.LoadZone(z.Timezone); known || z.Timezone == "" {
		return nil
	}
	message := "is not the name of an IANA time zone, such as Europe/Berlin"
	if near := places.ZonesNear(z.Timezone); len(near) > 0 {
		message += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return []apperr.Field{{Pointer: "/timezone", Message: message}}
}
