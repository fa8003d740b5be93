package fencepost

import (
	"encoding/json"
	"fmt"
	"regexp"
	"time"
)

// The service's texts for times (shared/kernel/rfc3339, services/internal/apiforms).
const (
	errNoOffset = "has no offset: add Z for UTC or an offset such as +02:00; or send its time zone beside it as timezone, " +
		"for example Europe/Berlin"
	errZone  = "is not the name of an IANA time zone, such as Europe/Berlin"
	errRange = "is not a date and time that exists between the years 1 and 9999"
)

var (
	naiveTime = regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?$`)
	wallTime  = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)[ Tt](\d\d:\d\d)(:\d\d)?$`)
)

// naive returns the fault of a publish time without an offset and without a time zone beside it: the service refuses it,
// and a program that sends it means another time than it gets.
func naive(body []byte) *Fault {
	var times struct{ Schedule, ScheduledAt, Timezone *string }
	if json.Unmarshal(body, &times) != nil || times.Timezone != nil && *times.Timezone != "" {
		return nil
	}
	for pointer, text := range map[string]*string{"/schedule": times.Schedule, "/scheduledAt": times.ScheduledAt} {
		if text != nil && naiveTime.MatchString(*text) {
			return &Fault{Pointer: pointer, Message: errNoOffset}
		}
	}
	return nil
}

// At returns a wall-clock time of a time zone, such as "2026-12-01 09:00" in "Europe/Berlin", as the API takes it: RFC
// 3339 with the offset. As in the service, a time that the clocks skip is the first instant after the gap, and a time
// that occurs twice is the first of both.
func At(local, zone string) (string, error) {
	invalid := func(text, message string) error {
		return &Error{Kind: KindValidation, Code: ProblemCodeValidationFailed, Detail: fmt.Sprintf("%q %s", text, message)}
	}
	location, err := time.LoadLocation(zone)
	if err != nil || zone == "" || zone == "Local" {
		return "", invalid(zone, errZone)
	}
	parts := wallTime.FindStringSubmatch(local)
	if parts == nil {
		return "", invalid(local, "must be a date and a time of day without an offset, for example 2026-12-01 09:00")
	}
	seconds := parts[3]
	if seconds == "" {
		seconds = ":00"
	}
	wall, err := time.Parse(time.DateTime, parts[1]+" "+parts[2]+seconds)
	if err != nil || wall.Year() < 1 {
		return "", invalid(local, errRange)
	}
	return firstShown(wall.Unix(), location).Format(time.RFC3339), nil
}

// Offsets of zones are less than 26 hours (RFC 9636, section 3.2).
const mostEast = 26 * 60 * 60

// firstShown returns the first instant at which the zone's clock shows the wall-clock seconds or later
// (shared/kernel/wallclock): which of two instants time.Date returns differs between zones.
func firstShown(wall int64, zone *time.Location) time.Time {
	at := time.Unix(wall-mostEast, 0).In(zone)
	for {
		_, end := at.ZoneBounds()
		_, offset := at.Zone()
		shown := max(wall-int64(offset), at.Unix())
		if end.IsZero() || shown < end.Unix() {
			return time.Unix(shown, 0).In(zone)
		}
		if !end.After(at) { // package time errs on the last day of a leap year; the offset stays until midnight
			end = at.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
		}
		at = end.In(zone)
	}
}
