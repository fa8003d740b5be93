// Package slot defines a channel's posting schedule: weekly times of day, and the corresponding instants
// (docs/contract.md, Posting schedule).
//
// A slot is a wall-clock time in the channel's zone, such as Monday 09:00. Its instants follow the zone's changes:
//
//   - Each slot has one instant on each local day with its weekday.
//   - A time that the clocks skip maps to the first instant after the jump.
//   - A time that the clocks show twice maps to the first of the two instants.
//   - A day that the calendar skips (Apia had no 30 December 2011) has no slots.
//   - Slots with the same instant count as one.
//
// A local day may have 23, 24 or 25 hours: the next day is the next date, not 24 hours later.
package slot

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"fencepost.internal/shared/kernel/apperr"
)

// MaxSlots is the maximum number of slots of a channel.
const MaxSlots = 100

// Slot is a weekly wall-clock time in the channel's zone. Valid slots have an hour of 0 to 23 and a minute of 0 to 59.
type Slot struct {
	Weekday      time.Weekday
	Hour, Minute int
}

// Text is the text form of a slot, as in the JSON of a schedule.
type Text struct {
	Weekday string // MONDAY to SUNDAY
	Time    string // 00:00 to 23:59
}

// Text returns the text form of the slot.
func (s Slot) Text() Text {
	return Text{Weekday: strings.ToUpper(s.Weekday.String()), Time: fmt.Sprintf("%02d:%02d", s.Hour, s.Minute)}
}

// String returns the slot for a log, such as MONDAY 09:00.
func (s Slot) String() string {
	text := s.Text()
	return text.Weekday + " " + text.Time
}

// Compare orders slots within a week that starts on Monday.
func Compare(a, b Slot) int {
	return cmp.Or(
		cmp.Compare(daysSinceMonday(a.Weekday), daysSinceMonday(b.Weekday)),
		cmp.Compare(a.Hour, b.Hour),
		cmp.Compare(a.Minute, b.Minute),
	)
}

func daysSinceMonday(day time.Weekday) int { return (int(day) + 6) % 7 }

// Parse parses one slot. It returns every fault, at /weekday and /time.
func Parse(text Text) (Slot, []apperr.Field) {
	var faults []apperr.Field
	day, ok := parseWeekday(text.Weekday)
	if !ok {
		faults = append(faults, apperr.Field{
			Pointer: "/weekday", Message: "must be MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY or SUNDAY",
		})
	}
	hour, minute, ok := parseTime(text.Time)
	if !ok {
		faults = append(faults, apperr.Field{Pointer: "/time", Message: "must be a time of day from 00:00 to 23:59"})
	}
	if len(faults) > 0 {
		return Slot{}, faults
	}
	return Slot{Weekday: day, Hour: hour, Minute: minute}, nil
}

func parseWeekday(text string) (time.Weekday, bool) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if text == strings.ToUpper(day.String()) {
			return day, true
		}
	}
	return 0, false
}

// parseTime accepts only two digits, a colon and two digits; package time would also accept 9:00.
func parseTime(text string) (hour, minute int, ok bool) {
	if len(text) != len("15:04") {
		return 0, 0, false
	}
	at, err := time.Parse("15:04", text)
	return at.Hour(), at.Minute(), err == nil
}
