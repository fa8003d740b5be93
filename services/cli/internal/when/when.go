// Package when parses the times that people type.
package when

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	fencepost "fencepost.internal/sdk/go"
)

const (
	day  = 24 * time.Hour
	week = 7 * day
	// mostUnits of each unit, and the longest span in all, cannot overflow.
	mostUnits = 3000
	longest   = 10 * 365 * day
	// Forms is the list of forms, for messages.
	Forms = `"2026-12-01 09:00", "tue 09:00", "tomorrow 9:00", "18:30", "+2h", or a time with an offset such as 2026-12-01T09:00:00+01:00`
)

var (
	clock = regexp.MustCompile(`^(\d{1,2}):(\d\d)$`)
	date  = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	joint = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)t(\d)`)
	span  = regexp.MustCompile(`^(\d+)([wdhms])`)
)

// Parse returns the time that a text means in a zone, as the API takes it. A time of day without a day is the next one; a
// weekday is the next one with that time in the future.
func Parse(text, zone string, now time.Time) (string, error) {
	text = strings.TrimSpace(text)
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.Format(time.RFC3339), nil
	}
	if rest, relative := strings.CutPrefix(text, "+"); relative {
		by, err := Span(rest)
		if err != nil {
			return "", err
		}
		return now.Add(by).UTC().Format(time.RFC3339), nil
	}
	location, err := time.LoadLocation(zone)
	if err != nil || zone == "" || zone == "Local" {
		return "", fmt.Errorf("%q is not the name of an IANA time zone, such as Europe/Berlin", zone)
	}
	words := strings.Fields(joint.ReplaceAllString(strings.ToLower(text), "$1 $2"))
	of := ""
	if len(words) > 0 {
		of = words[len(words)-1]
	}
	parts := clock.FindStringSubmatch(of)
	if parts == nil || len(words) > 2 {
		return "", fmt.Errorf("%q is not a time: write %s", text, Forms)
	}
	if len(parts[1]) == 1 {
		of = "0" + of
	}
	var candidates []string
	today := now.In(location)
	switch {
	case len(words) == 1:
		candidates = days(today, 0, 1)
	case date.MatchString(words[0]):
		candidates = []string{words[0]}
	default:
		if candidates = named(words[0], today); candidates == nil {
			return "", fmt.Errorf("%q is not a day: write %s", words[0], Forms)
		}
	}
	return first(candidates, of, zone, now)
}

// Past is Parse for a time that is mostly in the past: a duration such as 2h is before now, and a time of day without a
// day is the last one.
func Past(text, zone string, now time.Time) (string, error) {
	if by, err := Span(text); err == nil {
		return now.Add(-by).UTC().Format(time.RFC3339), nil
	}
	if !clock.MatchString(strings.TrimSpace(text)) {
		return Parse(text, zone, now)
	}
	at, err := Parse("today "+text, zone, now)
	if parsed, invalid := time.Parse(time.RFC3339, at); err == nil && invalid == nil && parsed.After(now) {
		return Parse("yesterday "+text, zone, now)
	}
	return at, err
}

// first returns the first of the days whose time is in the future; the last if none is.
func first(candidates []string, of, zone string, now time.Time) (at string, err error) {
	for _, candidate := range candidates {
		if at, err = fencepost.At(candidate+" "+of, zone); err != nil {
			return "", fmt.Errorf("%q is not a time: write %s", candidate+" "+of, Forms)
		}
		if parsed, err := time.Parse(time.RFC3339, at); err == nil && parsed.After(now) {
			return at, nil
		}
	}
	return at, nil
}

// days returns the days from an offset to another, as dates.
func days(today time.Time, offsets ...int) []string {
	list := make([]string, len(offsets))
	for i, offset := range offsets {
		list[i] = today.AddDate(0, 0, offset).Format(time.DateOnly)
	}
	return list
}

// named returns the days that a word can mean; nil for an unknown word.
func named(word string, today time.Time) []string {
	switch word {
	case "today":
		return days(today, 0)
	case "tomorrow":
		return days(today, 1)
	case "yesterday":
		return days(today, -1)
	}
	const shortest = 3
	for weekday := range time.Weekday(7) {
		name := strings.ToLower(weekday.String())
		if len(word) < shortest || !strings.HasPrefix(name, word) {
			continue
		}
		offset := int(weekday-today.Weekday()+7) % 7
		return days(today, offset, offset+7)
	}
	return nil
}

// Span returns the duration that a text means: 2h, 1h30m, 3d, 1w, or -2h for an earlier time.
func Span(text string) (time.Duration, error) {
	units := map[string]time.Duration{"w": week, "d": day, "h": time.Hour, "m": time.Minute, "s": time.Second}
	rest, negative := strings.CutPrefix(strings.TrimSpace(text), "-")
	rest = strings.TrimPrefix(rest, "+")
	var total time.Duration
	for left := rest; left != ""; {
		parts := span.FindStringSubmatch(left)
		if parts == nil {
			return 0, notSpan(text)
		}
		n, err := strconv.Atoi(parts[1])
		if err != nil || n > mostUnits {
			return 0, notSpan(text)
		}
		total += time.Duration(n) * units[parts[2]]
		left = left[len(parts[0]):]
	}
	if rest == "" || total > longest {
		return 0, notSpan(text)
	}
	if negative {
		total = -total
	}
	return total, nil
}

func notSpan(text string) error {
	return fmt.Errorf("%q is not a duration of at most ten years: write 30m, 2h, 3d or 1w", text)
}
