package queue

import (
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/kernel/ident"
)

// day is a day of the queue that has places.
type day struct {
	Name, Date string
	Rows       []row
}

// row is a place of the queue as the page shows it.
type row struct {
	app.Place

	Clock   string
	Said    string // its time for people who hear it: Fri 18:00
	Glyph   string
	Sign    poststate.Sign
	Words   string
	Picture string // address; empty: none
	// Top, Earlier and Later are the times to which the post can move; zero if it is at that end.
	Top, Earlier, Later time.Time
}

// daysOf returns the days of a queue, in the time zone of now, which is the channel's.
func daysOf(q app.Queue, now time.Time, pictures map[ident.Media]string) []day {
	rows := rowsOf(q, now, pictures)
	var days []day
	for _, r := range rows {
		at := r.At.In(now.Location())
		name, date := at.Format("Monday"), at.Format("2 January")
		switch {
		case frame.Today(at, now):
			name, date = "Today", at.Format("Mon 2 January")
		case frame.Today(at, now.AddDate(0, 0, 1)):
			name, date = "Tomorrow", at.Format("Mon 2 January")
		}
		if len(days) == 0 || days[len(days)-1].Date != date {
			days = append(days, day{Name: name, Date: date})
		}
		d := &days[len(days)-1]
		d.Rows = append(d.Rows, r)
	}
	return days
}

func rowsOf(q app.Queue, now time.Time, pictures map[ident.Media]string) []row {
	rows := make([]row, len(q.Places))
	var first time.Time // of the places to which posts can move
	var before []int    // rows at the last such time
	var earlier time.Time
	for i, p := range q.Places {
		rows[i] = row{Place: p, Clock: p.At.In(now.Location()).Format("15:04"), Said: said(p.At.In(now.Location()), now)}
		r := &rows[i]
		if !p.Free() {
			r.Glyph, r.Sign, r.Words = poststate.Glyph(p.Post, q.Channel), poststate.Of(p.Post, q.Channel, false), poststate.Words(p.Post)
			if len(p.Post.MediaIDs) > 0 {
				r.Picture = pictures[p.Post.MediaIDs[0]]
			}
		}
		if !p.Free() && !p.Moves() {
			continue
		}
		if first.IsZero() {
			first = p.At
		}
		if len(before) > 0 && !rows[before[0]].At.Equal(p.At) {
			for _, k := range before {
				rows[k].Later = p.At
			}
			earlier, before = rows[before[0]].At, nil
		}
		before = append(before, i)
		r.Earlier = earlier
		if !earlier.IsZero() && !earlier.Equal(first) {
			r.Top = first
		}
	}
	return rows
}

// said returns a time in few words, with the date if the weekday alone is not enough.
func said(at, now time.Time) string {
	if at.Sub(now) < (daysOfWeek-1)*24*time.Hour {
		return at.Format("Mon 15:04")
	}
	return at.Format("Mon 2 January, 15:04")
}

// weekday is a day of the weekly times.
type weekday struct {
	Name  string
	Value string // as in forms
	Slots []slot.Text
}

// Short returns the name in three letters.
func (d weekday) Short() string { return d.Name[:3] }

// weekOf returns the slots by weekday, starting on Monday.
func weekOf(slots []slot.Slot) []weekday {
	week := make([]weekday, daysOfWeek)
	for i := range week {
		on := time.Weekday((i + 1) % daysOfWeek)
		week[i] = weekday{Name: on.String(), Value: strings.ToUpper(on.String())}
		for _, s := range slots {
			if s.Weekday == on {
				week[i].Slots = append(week[i].Slots, s.Text())
			}
		}
	}
	return week
}
