// Package slot holds a channel's posting schedule: weekly times of day, and the instants they fall on (decisions, sections
// 3a and 4).
//
// A slot is a time on the wall of the channel's zone, such as Monday 09:00; the instants follow the zone through its changes:
//
//   - Each slot falls on one instant of each local day that has its weekday.
//   - A time that the clocks jump over falls on the first instant after the jump.
//   - A time that the clocks show twice falls on the first of the two.
//   - A day that the calendar jumps over (Apia had no 30 December 2011) has no slots.
//   - Slots that meet on one instant are one.
//
// Whether a local day has 23, 24 or 25 hours makes no difference: the next day is the next date, never 24 hours later.
package slot

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"socialpub.internal/shared/kernel/apperr"
)

// MaxSlots is how many slots a channel can have.
const MaxSlots = 100

// Slot is a weekly time of day, on the wall clock of a zone that its user knows. Valid slots have an hour of 0 to 23 and a minute
// of 0 to 59.
type Slot struct {
	Weekday      time.Weekday
	Hour, Minute int
}

// Text is a slot as people and programs write it, in the members of the schedule's JSON.
type Text struct {
	Weekday string // MONDAY to SUNDAY
	Time    string // 00:00 to 23:59
}

// Text is the slot in writing.
func (s Slot) Text() Text {
	return Text{Weekday: strings.ToUpper(s.Weekday.String()), Time: fmt.Sprintf("%02d:%02d", s.Hour, s.Minute)}
}

// String is the slot for a log: MONDAY 09:00.
func (s Slot) String() string {
	text := s.Text()
	return text.Weekday + " " + text.Time
}

// Compare orders slots through a week that begins on Monday.
func Compare(a, b Slot) int {
	return cmp.Or(
		cmp.Compare(daysSinceMonday(a.Weekday), daysSinceMonday(b.Weekday)),
		cmp.Compare(a.Hour, b.Hour),
		cmp.Compare(a.Minute, b.Minute),
	)
}

func daysSinceMonday(day time.Weekday) int { return (int(day) + 6) % 7 }

// Parse reads one slot. It returns every fault, at /weekday and /time.
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

// parseTime takes two digits, a colon and two digits alone; package time would take 9:00 too.
func parseTime(text string) (hour, minute int, ok bool) {
	if len(text) != len("15:04") {
		return 0, 0, false
	}
	at, err := time.Parse("15:04", text)
	return at.Hour(), at.Minute(), err == nil
}
