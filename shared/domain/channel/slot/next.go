package slot

import (
	"iter"
	"slices"
	"time"
)

// Next is the earliest instant of a slot, strictly after the given one and at most horizon later, that taken does not refuse. It
// is false when there is none. The instant is a whole second in UTC, and so is what taken is asked about; a nil taken refuses
// nothing. Zone is the channel's and must not be nil.
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

// Instants are the instants of the slots strictly after the one and up to the other, earliest first and each once, in UTC.
//
// The first instant at which the clock shows a given time or a later one comes no earlier for a later time. So the slots in the
// order of the wall clock are in the order of their instants too, and those that the clock has shown by now are past.
func Instants(slots []Slot, zone *time.Location, after, until time.Time) iter.Seq[time.Time] {
	week := perWeekday(slots)
	return func(yield func(time.Time) bool) {
		last := after
		for day := wallOf(after.In(zone)).midnight(); ; day = day.add(oneDay) {
			dawn := firstShown(day, zone)
			if dawn.After(until) {
				return
			}
			if wallOf(dawn.In(zone)).midnight() != day {
				continue // the calendar jumps over this day
			}
			for _, s := range week[day.weekday()] {
				at := firstShown(day.add(s.sinceMidnight()), zone)
				if !at.After(last) {
					continue // past, or the instant of the slot before
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

func (s Slot) sinceMidnight() wall { return wall(s.Hour*60+s.Minute) * wall(time.Minute/time.Second) }
