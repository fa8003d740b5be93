package calendar

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/places"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/kernel/ident"
)

// day is a day of the calendar.
type day struct {
	At      time.Time // midnight
	Slips   []slip
	Open    []opening
	Past    bool
	Today   bool
	Rest    bool // Saturday or Sunday
	Other   bool // of another month than the chosen one
	Clock   string
	Now     time.Time // the present, on its day
	Entries []entry   // of a list and a week: slips, free slots and the present, in order
	Hidden  int       // slips that the month has no room for

	Notes    []plan.Note
	Holidays []places.Holiday
	Gap      string // says on which usual channels nothing is planned; empty if there is a post, or it is not usual
}

// entry is one thing at a time of a day.
type entry struct {
	At   time.Time
	Slip *slip
	Open *opening
	Now  bool
	More int    // number of slips that have no room
	Row  string // class of its place in the week
}

// Title names the day.
func (d day) Title() string { return d.At.Format("Monday 2 January") }

// Number returns the day of the month, with the month where it begins.
func (d day) Number() string {
	if d.At.Day() == 1 {
		return d.At.Format("2 Jan")
	}
	return d.At.Format("2")
}

// ISO returns the day in addresses.
func (d day) ISO() string { return d.At.Format(time.DateOnly) }

// Free returns the number of free slots, counted by channel.
func (d day) Free() int {
	n := 0
	for _, o := range d.Open {
		n += len(o.Channels)
	}
	return n
}

// gapsEnd is the number of days from today on in which gaps are said.
const gapsEnd = 14

// gap says on which channels with a free slot of the day nothing is planned: their usual days.
func (d day) gap(now time.Time) string {
	if d.Past || !d.At.Before(plus(now, gapsEnd)) {
		return ""
	}
	seen := make(map[ident.Channel]bool)
	for _, s := range d.Slips {
		for _, c := range s.Channels {
			seen[c.ID] = true
		}
	}
	var empty []channel.Channel
	for _, o := range d.Open {
		for _, c := range o.Channels {
			if !seen[c.ID] {
				seen[c.ID] = true
				empty = append(empty, c)
			}
		}
	}
	switch {
	case len(empty) == 0:
		return ""
	case len(d.Slips) == 0:
		return "Nothing on " + d.At.Format("Monday")
	case len(empty) > most:
		return fmt.Sprintf("Nothing on %d channels", len(empty))
	default:
		return "Nothing on " + poststate.Networks(empty)
	}
}

// Summary says what the day has: 2 out, 1 failed.
func (d day) Summary() string {
	counts := make(map[string]int)
	for _, s := range d.Slips {
		counts[s.group()]++
	}
	var parts []string
	for _, one := range []struct{ group, text string }{
		{"failed", "failed"},
		{"held", "held"},
		{"pending", "for approval"},
		{"published", "out"},
		{"scheduled", "to go"},
		{"draft", "draft"},
	} {
		if n := counts[one.group]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, one.text))
		}
	}
	if n := d.Free(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d free", n))
	}
	return strings.Join(parts, ", ")
}

// roomInMonth is the number of slips of a day that a month shows.
const roomInMonth = 3

// Shown returns the slips for which a month has room.
func (d day) Shown() []slip { return d.Slips[:len(d.Slips)-d.Hidden] }

// Dots returns the shapes of the states of all slips, for months on phones.
func (d day) Dots() template.HTML {
	var dots strings.Builder
	for _, s := range d.Slips {
		dots.WriteString(string(frame.Glyph(s.Glyph)))
	}
	return template.HTML(dots.String()) //nolint:gosec // G203: drawings
}

// daysOf returns the days of a period.
func daysOf(s span, slips []slip, open []opening, now time.Time) []day {
	var days []day
	for at := s.First; at.Before(s.End); at = plus(at, 1) {
		next := plus(at, 1)
		d := day{
			At: at, Today: frame.Today(at, now), Past: !next.After(now), Clock: clockChange(at, next),
			Rest:  at.Weekday() == time.Saturday || at.Weekday() == time.Sunday,
			Other: s.View == month && at.Month() != s.Day.Month(),
		}
		d.Slips, slips = until(next, slips, func(s slip) time.Time { return s.At })
		d.Open, open = until(next, open, func(o opening) time.Time { return o.At })
		if d.Today {
			d.Now = now
		}
		room := roomInMonth
		if d.Today {
			room++
		}
		if len(d.Slips) > room {
			d.Hidden = len(d.Slips) - room
		}
		d.Entries = d.entries()
		days = append(days, d)
	}
	return days
}

// until divides a list by time into what is before an instant, and the rest.
func until[E any](end time.Time, list []E, at func(E) time.Time) (before, rest []E) {
	n := slices.IndexFunc(list, func(e E) bool { return !at(e).Before(end) })
	if n < 0 {
		n = len(list)
	}
	return list[:n], list[n:]
}

// entries merges slips, free slots and the present by their time.
func (d day) entries() []entry {
	var list []entry
	slips, open, now := d.Slips, d.Open, d.Now
	for len(slips) > 0 || len(open) > 0 || !now.IsZero() {
		slipFirst := len(slips) > 0 && (len(open) == 0 || !slips[0].At.After(open[0].At))
		openFirst := !slipFirst && len(open) > 0
		switch {
		case slipFirst && (now.IsZero() || !slips[0].At.After(now)):
			list, slips = append(list, entry{At: slips[0].At, Slip: &slips[0]}), slips[1:]
		case openFirst && (now.IsZero() || !open[0].At.After(now)):
			list, open = append(list, entry{At: open[0].At, Open: &open[0]}), open[1:]
		default:
			list, now = append(list, entry{At: now, Now: true}), time.Time{}
		}
	}
	return list
}

// clockChange says how clocks change on a day; empty if they do not.
func clockChange(from, to time.Time) string {
	const wholeDay = 24 * time.Hour
	switch length := to.Sub(from); {
	case length < wholeDay:
		return "Clocks go forward " + hours(wholeDay-length)
	case length > wholeDay:
		return "Clocks go back " + hours(length-wholeDay)
	default:
		return ""
	}
}

func hours(d time.Duration) string {
	if d%time.Hour == 0 {
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d min", d/time.Minute)
}
