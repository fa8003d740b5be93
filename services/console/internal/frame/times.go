package frame

import (
	"cmp"
	"html/template"
	"regexp"
	"strings"
	"time"

	"fencepost.internal/services/internal/places"
)

// Layouts of times. Every rendered time has its full stamp, with the zone, as its title.
const (
	layoutClock  = "15:04"
	layoutDay    = "Mon 2 Jan"
	layoutYear   = "2 Jan 2006"
	layoutFull   = "Monday, 2 January 2006, 15:04:05 MST"
	withSeconds  = ":05"
	layoutInPage = "2 January 2006"
)

// Time renders a time in the workspace's time zone, to the minute.
func (v *View) Time(at time.Time) template.HTML {
	return v.stamp(at, v.dated(at, layoutClock))
}

// Moment renders a time in the workspace's time zone, to the second.
func (v *View) Moment(at time.Time) template.HTML {
	return v.stamp(at, v.dated(at, layoutClock+withSeconds))
}

// Clock renders the time of day in the workspace's time zone, where the day is shown beside it.
func (v *View) Clock(at time.Time) template.HTML { return v.stamp(at, layoutClock) }

// dated returns the layout of a time with its day, and with its year if that is not the present one.
func (v *View) dated(at time.Time, clock string) string {
	if at.In(v.zone).Year() != v.now().Year() {
		return layoutYear + ", " + clock
	}
	return layoutDay + ", " + clock
}

func (v *View) now() time.Time { return v.visit.frame.cfg.Clock.Now().In(v.zone) }

func (v *View) stamp(at time.Time, layout string) template.HTML {
	if at.IsZero() {
		return ""
	}
	local := at.In(v.zone)
	//nolint:gosec // G203: only formatted times
	return template.HTML(`<time datetime="` + at.UTC().Format(time.RFC3339) + `" title="` + local.Format(layoutFull) +
		`">` + local.Format(layout) + `</time>`)
}

// instant matches the times that texts of the service contain (event.TimeFormat and RFC 3339 in UTC).
var instant = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z`)

// Prose renders a text of the service, with its times in the workspace's time zone: without the day if it is today, and
// to the second if the time has seconds.
func (v *View) Prose(text string) template.HTML {
	escaped := template.HTMLEscapeString(text)
	//nolint:gosec // G203: escaped text and formatted times
	return template.HTML(instant.ReplaceAllStringFunc(escaped, func(found string) string {
		at, err := time.Parse(time.RFC3339, found)
		if err != nil {
			return found
		}
		clock := layoutClock
		if at.Second() != 0 {
			clock += withSeconds
		}
		if Today(at, v.now()) {
			return string(v.stamp(at, clock))
		}
		return string(v.stamp(at, v.dated(at, clock)))
	}))
}

// Today reports whether a time is on the day of now, in the zone of now.
func Today(at, now time.Time) bool {
	return at.In(now.Location()).Format(time.DateOnly) == now.Format(time.DateOnly)
}

// Date renders the day of a time in the workspace's time zone.
func (v *View) Date(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(v.zone).Format(layoutInPage)
}

// Zone returns the time zone of the workspace; UTC outside of one.
func (v *Visit) Zone() *time.Location { return cmp.Or(v.zone, time.UTC) }

// ZoneOf returns a time zone that has been checked before.
func ZoneOf(name string) *time.Location {
	if zone, known := places.LoadZone(name); known {
		return zone
	}
	return time.UTC
}

// Now returns the present time in the time zone of the workspace.
func (v *Visit) Now() time.Time { return v.frame.cfg.Clock.Now().In(v.Zone()) }

// City returns the name of a time zone for people: New York for America/New_York.
func City(zone string) string {
	return strings.ReplaceAll(zone[strings.LastIndex(zone, "/")+1:], "_", " ")
}
