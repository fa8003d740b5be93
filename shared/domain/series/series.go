// Package series defines recurring posts. A series has a rule in the wall-clock time of a zone. Each of its days becomes a
// set of ordinary posts, some time ahead.
package series

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/wallclock"
)

const (
	// Ahead is the time by which the posts of a day are made early, so that people see and change them.
	Ahead = 31 * 24 * time.Hour
	// MaxEvery is the maximum number of units from one repetition to the next.
	MaxEvery = 99
	// MaxCount is the maximum number of days of a rule.
	MaxCount = 1000
	// yearsAhead limits the days of a rule, so that one without an end ends.
	yearsAhead = 20
)

// Unit is the step of a rule.
type Unit string

// Units. A month without the day of the start has its last day instead.
const (
	Day   Unit = "DAY"
	Week  Unit = "WEEK"
	Month Unit = "MONTH"
	// Nth is the weekday of the start in the same week of each month, such as the second Tuesday; the fifth one is the last.
	Nth Unit = "NTH"
)

// Known reports whether the unit exists.
func (u Unit) Known() bool { return slices.Contains([]Unit{Day, Week, Month, Nth}, u) }

// Rule says on which days a series repeats.
type Rule struct {
	Unit     Unit           `json:"unit"`
	Every    int            `json:"every"`              // units from one repetition to the next
	Weekdays []time.Weekday `json:"weekdays,omitempty"` // of Week
	Start    time.Time      `json:"start"`              // the first day and the time of day, as a clock of the zone shows them, in UTC
	Until    time.Time      `json:"until,omitzero"`     // midnight of the last day; zero: no end
	Count    int            `json:"count,omitempty"`    // of days; 0: no limit
	Zone     string         `json:"zone"`               // IANA name
}

// Faults returns what is wrong with a rule, worded for people.
func (r Rule) Faults() []apperr.Field {
	var faults []apperr.Field
	add := func(name, text string) { faults = append(faults, apperr.Field{Pointer: "/" + name, Message: text}) }
	if !r.Unit.Known() {
		add("unit", "Choose how often it repeats.")
	}
	if r.Every < 1 || r.Every > MaxEvery {
		add("every", fmt.Sprintf("Enter a number from 1 to %d.", MaxEvery))
	}
	if r.Unit == Week && len(r.Weekdays) == 0 {
		add("weekdays", "Choose a weekday.")
	}
	if !r.Until.IsZero() && r.Until.Before(midnight(r.Start)) {
		add("until", "Choose a day after the first one.")
	}
	if r.Count < 0 || r.Count > MaxCount {
		add("count", fmt.Sprintf("Enter a number from 1 to %d.", MaxCount))
	}
	if _, err := time.LoadLocation(r.Zone); err != nil {
		add("zone", "Choose a time zone.")
	}
	return faults
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// Days returns the days of the rule, in order, each as midnight in UTC. The rule must have no fault.
func (r Rule) Days() iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		first, n := midnight(r.Start), 0
		for step := 0; ; step += r.Every {
			for _, day := range r.of(first, step) {
				switch {
				case day.Before(first):
					continue
				case !r.Until.IsZero() && day.After(r.Until), r.Count > 0 && n == r.Count, day.After(first.AddDate(yearsAhead, 0, 0)):
					return
				}
				n++
				if !yield(day) {
					return
				}
			}
		}
	}
}

// of returns the days of the unit that is some units after that of the first day.
func (r Rule) of(first time.Time, step int) []time.Time {
	const week = 7
	switch r.Unit {
	case Day:
		return []time.Time{first.AddDate(0, 0, step)}
	case Week:
		monday := first.AddDate(0, 0, step*week-sinceMonday(first.Weekday()))
		var days []time.Time
		for n := range week {
			if day := monday.AddDate(0, 0, n); slices.Contains(r.Weekdays, day.Weekday()) {
				days = append(days, day)
			}
		}
		return days
	case Month, Nth:
	}
	begin := first.AddDate(0, step, 1-first.Day())
	last := begin.AddDate(0, 1, -1).Day()
	if r.Unit == Month {
		return []time.Time{begin.AddDate(0, 0, min(first.Day(), last)-1)}
	}
	day := 1 + (week+int(first.Weekday()-begin.Weekday()))%week + (first.Day()-1)/week*week
	if day > last {
		day -= week
	}
	return []time.Time{begin.AddDate(0, 0, day-1)}
}

// sinceMonday returns the number of days from Monday to a weekday.
func sinceMonday(d time.Weekday) int { return (int(d) + 6) % 7 }

// Next returns the first day of the rule after another one; zero if there is none.
func (r Rule) Next(after time.Time) time.Time {
	for day := range r.Days() {
		if day.After(after) {
			return day
		}
	}
	return time.Time{}
}

// At returns the instant of the rule's time on a day.
func (r Rule) At(day time.Time) (time.Time, error) {
	zone, err := time.LoadLocation(r.Zone)
	if err != nil {
		return time.Time{}, fmt.Errorf("the zone of a series: %w", err)
	}
	return wallclock.In(zone, midnight(day).Add(r.Start.Sub(midnight(r.Start)))), nil
}

// Series is a rule with what its posts have.
type Series struct {
	ID          ident.Series
	WorkspaceID ident.Workspace
	AuthorID    ident.User // who changed it last, and in whose name the posts are made
	Rule        Rule
	Content     json.RawMessage // of the posts of the days that are not made yet
	Next        time.Time       // the next day that is made; zero: none, the series has ended
	NextAt      time.Time       // its instant
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Plan sets the next day of the series: the first one of its rule after another day.
func (s *Series) Plan(after time.Time) (err error) {
	s.Next, s.NextAt = s.Rule.Next(after), time.Time{}
	if !s.Next.IsZero() {
		s.NextAt, err = s.Rule.At(s.Next)
	}
	return err
}

// Occurrence is a day of a series that was made, or left out.
type Occurrence struct {
	SeriesID ident.Series
	Day      time.Time
	At       time.Time
	GroupID  ident.Group // the set of its posts; zero: none were made
	Why      string      // why none were made; empty: a person skipped the day
}
