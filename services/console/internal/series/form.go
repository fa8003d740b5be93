package series

import (
	"slices"
	"strconv"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/series"
)

// form has the fields of a rule as a person entered them.
type form struct {
	Unit       series.Unit
	Every      string
	Weekdays   []time.Weekday
	End        string // until, count, or empty
	Until      string
	Count      string
	Day, Clock string    // of the first day under a changed rule
	First      time.Time // of the first post of a new series
	Faults     map[string]string
}

// formOf returns the form of a rule, whose changed version begins today at the earliest.
func formOf(r series.Rule, now time.Time) form {
	f := form{
		Unit: r.Unit, Every: strconv.Itoa(r.Every), Weekdays: r.Weekdays, Clock: r.Start.Format("15:04"), Count: "10",
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	next := r.Next(today.Add(-time.Second))
	if next.IsZero() {
		next = today
	}
	f.Day = next.Format(time.DateOnly)
	switch {
	case !r.Until.IsZero():
		f.End, f.Until = "until", r.Until.Format(time.DateOnly)
	case r.Count > 0:
		f.End, f.Count = "count", strconv.Itoa(r.Count)
	}
	return f
}

// sent returns the form that a person sent.
func sent(v *frame.Visit) form {
	f := form{
		Unit: series.Unit(v.Form("unit")), Every: v.Form("every"), End: v.Form("end"), Until: v.Form("until"), Count: v.Form("count"),
		Day: v.Form("day"), Clock: v.Form("clock"), Faults: make(map[string]string),
	}
	for _, text := range v.Fields()["weekday"] {
		if d := time.Weekday(number(text)); d >= time.Sunday && d <= time.Saturday && !slices.Contains(f.Weekdays, d) {
			f.Weekdays = append(f.Weekdays, d)
		}
	}
	return f
}

// start returns the first day and the time of a changed rule.
func (f form) start() time.Time {
	at, err := time.Parse("2006-01-02T15:04", f.Day+"T"+f.Clock)
	if err != nil {
		f.Faults["day"] = "Choose a day and a time."
	}
	return at
}

// rule returns the rule of the form. It adds the faults of fields that cannot be read.
func (f form) rule(zone string, start time.Time) series.Rule {
	r := series.Rule{
		Unit: f.Unit, Every: number(f.Every), Zone: zone,
		Start: time.Date(start.Year(), start.Month(), start.Day(), start.Hour(), start.Minute(), 0, 0, time.UTC),
	}
	if r.Unit == series.Week {
		r.Weekdays = f.Weekdays
	}
	switch f.End {
	case "until":
		var err error
		if r.Until, err = time.Parse(time.DateOnly, f.Until); err != nil {
			f.Faults["until"] = "Choose the last day."
		}
	case "count":
		if r.Count = number(f.Count); r.Count < 1 {
			r.Count = -1
		}
	}
	return r
}

// Days returns the weekdays of the form.
func (f form) Days() []weekday {
	var list []weekday
	for n := range 7 {
		d := time.Weekday((n + 1) % 7) //nolint:mnd // a week begins on Monday
		list = append(list, weekday{int(d), d.String(), slices.Contains(f.Weekdays, d)})
	}
	return list
}

type weekday struct {
	Number int
	Name   string
	Chosen bool
}

// Units returns the choices of the unit, in words. One unit has the weekday of the first day.
func (f form) Units() [][2]string {
	return [][2]string{
		{string(series.Day), "days"},
		{string(series.Week), "weeks"},
		{string(series.Month), "months, on the day of the month"},
		{string(series.Nth), "months, on the weekday of the month"},
	}
}
