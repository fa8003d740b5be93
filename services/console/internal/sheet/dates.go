package sheet

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/kernel/rfc3339"
)

// Moment is a date, and perhaps a time of day, as a cell has them.
type Moment struct {
	Day   time.Time // midnight UTC
	Clock Clock
	Timed bool // the cell has a time of day
}

// Clock is a time of day, perhaps with its offset from UTC.
type Clock struct {
	Seconds int    // since midnight
	Offset  string // such as +02:00; empty: a time of the row's zone
}

// The faults of dates and times, which continue a sentence that begins with the text of the cell.
var (
	ErrDate = errors.New("is not a date; write 2026-12-24")
	// ErrAmbiguous is returned for a date that is valid in both orders, while none is decided.
	ErrAmbiguous = errors.New("can be read in two ways; choose above how dates are read")
	errSerial    = errors.New("is a spreadsheet’s number of a day; give the column the format of a date there, or write 2026-12-24")
	errYear      = errors.New("has a year of two digits; write 2026-12-24")
	errNoDay     = errors.New("is not a day of the calendar")
	errClock     = errors.New("is not a time; write 09:00 or 9:00 am")
)

// The forms of dates. What follows the date is a time of day.
var (
	yearFirst = regexp.MustCompile(`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[Tt ,]+(.+))?$`)
	numbers   = regexp.MustCompile(`^(\d{1,2})([-/.])(\d{1,2})[-/.](\d{4})(?:[Tt ,]+(.+))?$`)
	shortYear = regexp.MustCompile(`^\d{1,2}[-/.]\d{1,2}[-/.]\d{2}(?:[Tt ,]|$)`)
	dayWord   = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)?\.?[ -]([A-Za-z]+)\.?,?[ -](\d{4})(?:[ ,]+(.+))?$`)
	wordDay   = regexp.MustCompile(`^([A-Za-z]+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?:[ ,]+(.+))?$`)
	weekday   = regexp.MustCompile(`(?i)^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,? +`)
	serial    = regexp.MustCompile(`^\d{5}(?:[.,]\d+)?$`)
	clock     = regexp.MustCompile(`(?i)^(?:at )?(\d{1,2})(?:[:.h](\d{2}))?(?::(\d{2})(?:\.\d+)?)?\s*([ap]\.?m\.?)?\s*(z|utc|gmt|[+-]\d{2}:?\d{2})?$`)
)

// ParseMoment parses the cell of a date. The error continues a sentence that begins with the text.
func ParseMoment(text string, order plan.Order) (Moment, error) {
	text = weekday.ReplaceAllString(strings.Join(strings.Fields(text), " "), "")
	if m := yearFirst.FindStringSubmatch(text); m != nil {
		return moment(m[1], m[2], m[3], m[4])
	}
	if m := numbers.FindStringSubmatch(text); m != nil {
		return ordered(m, order)
	}
	if m := dayWord.FindStringSubmatch(text); m != nil {
		return moment(m[3], monthOf(m[2]), m[1], m[4])
	}
	if m := wordDay.FindStringSubmatch(text); m != nil {
		return moment(m[3], monthOf(m[1]), m[2], m[4])
	}
	switch {
	case serial.MatchString(text):
		return Moment{}, errSerial
	case shortYear.MatchString(text):
		return Moment{}, errYear
	default:
		return Moment{}, ErrDate
	}
}

// ordered reads a date that begins with its day or its month. With dots, the month never comes first.
func ordered(m []string, order plan.Order) (Moment, error) {
	first, _ := strconv.Atoi(m[1])
	second, _ := strconv.Atoi(m[3])
	const months = 12
	switch {
	case m[2] == ".", first > months, first == second:
		order = plan.DayFirst
	case second > months:
		order = plan.MonthFirst
	}
	switch order {
	case plan.DayFirst:
		return moment(m[4], m[3], m[1], m[5])
	case plan.MonthFirst:
		return moment(m[4], m[1], m[3], m[5])
	default:
		return Moment{}, ErrAmbiguous
	}
}

// Evidence returns the order of the dates of a column that follows from those that have one reading only; empty if none
// has, or if they contradict each other. It also reports whether any date has two readings.
func Evidence(cells []string) (order plan.Order, ambiguous bool) {
	found := make(map[plan.Order]bool)
	for _, cell := range cells {
		m := numbers.FindStringSubmatch(weekday.ReplaceAllString(strings.Join(strings.Fields(cell), " "), ""))
		if len(m) == 0 || m[2] == "." {
			continue
		}
		first, _ := strconv.Atoi(m[1])
		second, _ := strconv.Atoi(m[3])
		const months = 12
		switch {
		case first == second || first > months && second > months:
		case first > months:
			found[plan.DayFirst] = true
		case second > months:
			found[plan.MonthFirst] = true
		default:
			ambiguous = true
		}
	}
	if len(found) == 1 {
		for order = range found {
			return order, ambiguous
		}
	}
	return "", ambiguous
}

// monthOf returns the number of a month by its English name or the first three letters of it; 0 for another word.
func monthOf(word string) string {
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		if given := strings.ToLower(word); given == name || given == name[:3] || given == "sept" && m == time.September {
			return strconv.Itoa(int(m))
		}
	}
	return "0"
}

func moment(year, month, day, rest string) (Moment, error) {
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	at := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if m == 0 {
		return Moment{}, ErrDate
	}
	if at.Day() != d || int(at.Month()) != m || y < 1 {
		return Moment{}, errNoDay
	}
	if rest == "" {
		return Moment{Day: at}, nil
	}
	c, err := ParseClock(rest)
	return Moment{Day: at, Clock: c, Timed: true}, err
}

// ParseClock parses the cell of a time of day. The error continues a sentence that begins with the text.
func ParseClock(text string) (Clock, error) {
	m := clock.FindStringSubmatch(strings.Join(strings.Fields(text), " "))
	if len(m) == 0 || m[2] == "" && m[4] == "" || m[3] != "" && m[2] == "" {
		return Clock{}, errClock
	}
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[2])
	second, _ := strconv.Atoi(m[3])
	const noon, day, sixty = 12, 24, 60
	if half := strings.ToLower(m[4]); half != "" {
		if hour < 1 || hour > noon {
			return Clock{}, errClock
		}
		hour %= noon
		if half[0] == 'p' {
			hour += noon
		}
	}
	if hour >= day || minute >= sixty || second >= sixty {
		return Clock{}, errClock
	}
	offset := strings.ToUpper(m[5])
	switch {
	case offset == "Z", offset == "UTC", offset == "GMT":
		offset = "+00:00"
	case offset != "" && !strings.Contains(offset, ":"):
		offset = offset[:3] + ":" + offset[3:]
	}
	if offset != "" {
		if _, err := rfc3339.Parse("2000-01-01T00:00:00" + offset); err != nil {
			return Clock{}, errClock
		}
	}
	return Clock{Seconds: (hour*sixty+minute)*sixty + second, Offset: offset}, nil
}
