package calendar

import "time"

// view is a way to show a period.
type view string

const (
	month view = "month"
	week  view = "week"
	date  view = "day"
	list  view = "list"
)

// template returns the name of the view's template. A day is a list of one day.
func (v view) template() view {
	if v == date {
		return list
	}
	return v
}

const daysOfWeek = 7

// span is a period of whole days in the time zone of the workspace.
type span struct {
	View  view
	Day   time.Time // the chosen day, at midnight
	First time.Time // midnight of the first day
	End   time.Time // midnight after the last day
}

// spanOf returns the period that a view shows around a day.
func spanOf(v view, day time.Time) span {
	s := span{View: v, Day: midnight(day)}
	switch v {
	case month:
		first := plus(s.Day, 1-s.Day.Day())
		s.First = monday(first)
		s.End = plus(monday(plus(first.AddDate(0, 1, 0), -1)), daysOfWeek)
	case week:
		s.First = monday(s.Day)
		s.End = plus(s.First, daysOfWeek)
	case date:
		s.First, s.End = s.Day, plus(s.Day, 1)
	case list:
		s.First, s.End = s.Day, plus(s.Day, daysOfWeek)
	}
	return s
}

// step returns the day to choose for the period before (-1) or after (1).
func (s span) step(n int) time.Time {
	switch s.View {
	case month:
		return plus(s.Day, 1-s.Day.Day()).AddDate(0, n, 0)
	case date:
		return plus(s.Day, n)
	case week, list:
		return plus(s.Day, n*daysOfWeek)
	}
	return s.Day
}

// title names the period.
func (s span) title() string {
	last := plus(s.End, -1)
	switch {
	case s.View == month:
		return s.Day.Format("January 2006")
	case s.View == date:
		return s.Day.Format("Monday 2 January 2006")
	case s.First.Year() != last.Year():
		return s.First.Format("2 January 2006") + " – " + last.Format("2 January 2006")
	case s.First.Month() != last.Month():
		return s.First.Format("2 January") + " – " + last.Format("2 January 2006")
	default:
		return s.First.Format("2") + " – " + last.Format("2 January 2006")
	}
}

// midnight returns the first instant of the day of t.
func midnight(t time.Time) time.Time { return plus(t, 0) }

// plus returns midnight a number of days after the day of t, across changes of the clock.
func plus(t time.Time, days int) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day()+days, 0, 0, 0, 0, t.Location())
}

// monday returns midnight of the Monday on or before t.
func monday(t time.Time) time.Time { return plus(t, -(int(t.Weekday())+daysOfWeek-1)%daysOfWeek) }
