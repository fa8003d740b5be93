package calendar

import (
	"strconv"
	"time"

	"fencepost.internal/services/console/internal/frame"
)

const (
	quarters   = 4 // rows of an hour
	slipRows   = 3 // height of a slip
	firstHour  = 7 // hours that a week always shows, as long as they are not folded by choice of the person
	lastHour   = 20
	hoursOfDay = 24
)

// hour is a label of the week's times.
type hour struct {
	Text, Row string
	Now       bool
	At        time.Time // on the first day of the week, for other time zones
}

// fold is a range of hours in which nothing happens, which the week leaves out.
type fold struct{ Text, Href string }

// fold places everything in the week, and leaves out the hours before and after everything.
func (p *page) fold(q query, v *frame.Visit) {
	from, to := firstHour, lastHour
	if q.whole {
		from, to = 0, hoursOfDay
	}
	for _, d := range p.Days {
		for _, e := range d.Entries {
			from, to = min(from, e.At.Hour()), max(to, min(e.At.Hour()+2, hoursOfDay))
		}
	}
	p.From = from
	for h := from; h < to; h++ {
		p.Hours = append(p.Hours, hour{Text: clock(h), Row: rowAt((h - from) * quarters), At: p.at(h)})
	}
	p.Hours = append(p.Hours, hour{Row: rowAt((to-from)*quarters - 1)}) // the end of the last hour
	for i := range p.Days {
		p.Days[i].Entries = p.Days[i].placed(from)
		if now := p.Days[i].Now; !now.IsZero() {
			p.Hours = append(p.Hours, hour{now.Format("15:04"), rowOf(now, from) + offset(now), true, now})
		}
	}
	other := q
	other.whole = !q.whole
	href := other.address(v)
	if q.whole {
		p.After = fold{"Leave out the hours without posts", href}
		return
	}
	if from > 0 {
		p.Before = fold{clock(0) + " to " + clock(from) + ", nothing planned", href}
	}
	if to < hoursOfDay {
		p.After = fold{clock(to) + " to 24:00, nothing planned", href}
	}
}

// at returns the instant of an hour on the first day of the week.
func (p *page) at(hour int) time.Time {
	return time.Date(p.First.Year(), p.First.Month(), p.First.Day(), hour, 0, 0, 0, p.First.Location())
}

// placed returns the entries of a day with their rows, and slips at overlapping times a lane each. A third slip has no room: the
// second lane then leads to the day.
func (d day) placed(from int) []entry {
	var placed []entry
	var last []int // indices of the slips of the present cluster
	end := 0       // first row below it
	for _, e := range d.Entries {
		row := rows(e.At, from)
		e.Row = rowAt(row)
		switch {
		case e.Now:
			e.Row += offset(e.At)
		case e.Slip != nil && row < end && len(last) == 1:
			placed[last[0]].Slip.Lane, e.Slip.Lane = "l2", "r2"
			last = append(last, len(placed))
			end = max(end, row+slipRows)
		case e.Slip != nil && row < end:
			second := &placed[last[1]]
			if second.More == 0 {
				second.More = 1
			}
			second.More++
			continue
		case e.Slip != nil:
			last, end = []int{len(placed)}, row+slipRows
		case row < end: // a free slot behind a slip is not reachable there
			continue
		}
		placed = append(placed, e)
	}
	return placed
}

func clock(h int) string { return time.Date(0, 1, 1, h, 0, 0, 0, time.UTC).Format("15:04") }

// rows returns the number of quarters of an hour from the first hour to a time of day.
func rows(at time.Time, from int) int { return (at.Hour()-from)*quarters + at.Minute()/(60/quarters) }

func rowOf(at time.Time, from int) string { return rowAt(rows(at, from)) }

func rowAt(row int) string { return "q" + strconv.Itoa(row) }

// offset returns the class of a part of a row, in steps of three minutes.
func offset(at time.Time) string {
	const step = 3
	if part := at.Minute() % (60 / quarters) / step * step; part > 0 {
		return " o" + strconv.Itoa(part)
	}
	return ""
}
