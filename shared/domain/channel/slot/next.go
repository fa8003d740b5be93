package slot

import (
	"iter"
	"slices"
	"time"

	"fencepost.internal/shared/kernel/wallclock"
)

// Next returns the earliest instant of a slot that is strictly after the given instant, at most horizon later, and not
// taken. It returns false if there is none. Instants are whole seconds in UTC, also in calls of taken; a nil taken
// means that no instant is taken. Zone is the channel's zone and must not be nil.
func Next(
	slots []Slot, zone *time.Location, after time.Time, taken func(time.Time) bool, horizon time.Duration,
) (time.Time, bool) {
	for at := range Instants(slots, zone, after, after.Add(horizon)) {
		if taken == nil || !taken(at) {
			return at, true
		}
	}
	return time.Time{}, false
}

// Instants returns the instants of the slots strictly after one instant and up to another, in ascending order without
// duplicates, in UTC.
//
// The first instant at which the clock shows a given time or a later one is a non-decreasing function of that time.
// Therefore slots in wall-clock order are also in the order of their instants, and slots at or before the current
// wall-clock time are past.
func Instants(slots []Slot, zone *time.Location, after, until time.Time) iter.Seq[time.Time] {
	week := perWeekday(slots)
	return func(yield func(time.Time) bool) {
		last := after
		for day := wallclock.Of(after.In(zone)).Midnight(); ; day += wallclock.Day {
			dawn := day.FirstShown(zone)
			if dawn.After(until) {
				return
			}
			if wallclock.Of(dawn.In(zone)).Midnight() != day {
				continue // the calendar skips this day
			}
			for _, s := range week[day.Weekday()] {
				at := (day + s.sinceMidnight()).FirstShown(zone)
				if !at.After(last) {
					continue // past, or the same instant as the previous slot
				}
				if at.After(until) || !yield(at) {
					return
				}
				last = at
			}
		}
	}
}

func perWeekday(slots []Slot) (week [7][]Slot) {
	for _, s := range slices.SortedFunc(slices.Values(slots), Compare) {
		week[s.Weekday] = append(week[s.Weekday], s)
	}
	return week
}

func (s Slot) sinceMidnight() wallclock.Time {
	return wallclock.Time(s.Hour*60+s.Minute) * wallclock.Time(time.Minute/time.Second)
}
