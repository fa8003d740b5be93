package series

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/series"
)

// Preset is a common rule, for the composer.
type Preset string

// Presets returns the presets with their words. The empty one does not repeat.
func Presets() [][2]string {
	return [][2]string{
		{"", "Once"},
		{"day", "Every day"},
		{"weekdays", "Mon to Fri"},
		{"week", "Every week"},
		{"fortnight", "Every 2 weeks"},
		{"month", "Every month"},
	}
}

// Rule returns the rule of a preset; false if it does not repeat. The weekday of the first post is added to it.
func (p Preset) Rule(zone string) (series.Rule, bool) {
	r := series.Rule{Every: 1, Zone: zone}
	switch p {
	case "day":
		r.Unit = series.Day
	case "weekdays":
		r.Unit, r.Weekdays = series.Week, []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday}
	case "week":
		r.Unit = series.Week
	case "fortnight":
		r.Unit, r.Every = series.Week, 2
	case "month":
		r.Unit = series.Month
	default:
		return r, false
	}
	return r, true
}

// Words says how a rule repeats: every 2 weeks on Mon, Wed at 09:00, until 3 Mar 2027.
func Words(r series.Rule) string {
	every := func(one, many string) string {
		if r.Every == 1 {
			return "every " + one
		}
		return fmt.Sprintf("every %d %s", r.Every, many)
	}
	var text string
	switch r.Unit {
	case series.Day:
		text = every("day", "days")
	case series.Week:
		text = every("week", "weeks") + " on " + weekdays(r.Weekdays)
	case series.Month:
		text = every("month", "months") + " on day " + strconv.Itoa(r.Start.Day())
		if r.Start.Day() > 28 {
			text += " or the last one"
		}
	case series.Nth:
		const week = 7
		nth := []string{"first", "second", "third", "fourth", "last"}[(r.Start.Day()-1)/week]
		text = every("month", "months") + " on the " + nth + " " + r.Start.Weekday().String()
	}
	text += " at " + r.Start.Format("15:04")
	switch {
	case !r.Until.IsZero():
		text += ", until " + r.Until.Format("2 Jan 2006")
	case r.Count == 1:
		text += ", once"
	case r.Count > 1:
		text += fmt.Sprintf(", %d times", r.Count)
	}
	return text
}

func weekdays(list []time.Weekday) string {
	var names []string
	for n := range 7 {
		if d := time.Weekday((n + 1) % 7); slices.Contains(list, d) { //nolint:mnd // a week begins on Monday
			names = append(names, d.String()[:3])
		}
	}
	return strings.Join(names, ", ")
}
