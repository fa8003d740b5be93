package calendar

import (
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
)

// Period returns the first day, the last day, and the title of the period of a view, and of the ones beside it.
func Period(name string, day time.Time) [5]string {
	s := spanOf(view(name), day)
	return [5]string{
		s.First.Format(time.DateOnly), plus(s.End, -1).Format(time.DateOnly), s.title(),
		s.step(-1).Format(time.DateOnly), s.step(1).Format(time.DateOnly),
	}
}

// Day is a day of a calendar as its tests see it.
type Day struct {
	Title, Summary, Clock string
	Rows                  []string // place, lane and text of each entry
}

// Week returns the days of a week with the places of their entries, from an hour on.
func Week(day time.Time, planned []post.Post, channels []channel.Channel, free map[int][]time.Time, now time.Time, from int) []Day {
	slips := slipsOf(planned, channels, day.Location())
	var open []opening
	for i, c := range channels {
		for _, at := range free[i] {
			open = append(open, opening{At: at, Channels: []channel.Channel{c}})
		}
	}
	var out []Day
	for _, d := range daysOf(spanOf(week, day), slips, open, now) {
		d.Entries = d.placed(from)
		shown := Day{Title: d.Title(), Summary: d.Summary(), Clock: d.Clock}
		for _, e := range d.Entries {
			text := e.Row
			switch {
			case e.Now:
				text += " now"
			case e.More > 0:
				text += " " + e.Slip.Lane + " more"
			case e.Slip != nil:
				text += " " + e.Slip.Lane + " " + e.Slip.Glyph + " " + e.Slip.Words()
			default:
				text += " free " + e.Open.Networks()
			}
			shown.Rows = append(shown.Rows, text)
		}
		out = append(out, shown)
	}
	return out
}
