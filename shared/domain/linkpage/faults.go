package linkpage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/plaintext"
)

// faults gathers what is wrong, so that it is told at once; each with a JSON Pointer into the body.
type faults []apperr.Field

func (f *faults) add(pointer, format string, args ...any) {
	*f = append(*f, apperr.Field{Pointer: pointer, Message: fmt.Sprintf(format, args...)})
}

// text checks something that people wrote, on several lines perhaps; the empty text when it cannot be taken.
func (f *faults) text(at, given string, longest int) string {
	text, fault := plaintext.Lines(given, longest)
	return f.taken(at, text, fault)
}

// line is text for what stands on one line.
func (f *faults) line(at, given string, longest int) string {
	text, fault := plaintext.Line(given, longest)
	return f.taken(at, text, fault)
}

func (f *faults) taken(at, text, fault string) string {
	if fault != "" {
		f.add(at, "%s", fault)
	}
	return text
}

// oneOf returns what is given when it is known, and the first that is known when nothing is given.
func oneOf[S ~string](f *faults, at string, given S, known []S) S {
	if given == "" {
		return known[0]
	}
	if slices.Contains(known, given) {
		return given
	}
	f.add(at, "%.40q is none of %s", string(given), names(known))
	return ""
}

func names[S ~string](known []S) string {
	parts := make([]string, len(known))
	for i, k := range known {
		parts[i] = string(k)
	}
	return strings.Join(parts, ", ")
}

// The times that a block may name: JSON and the database have four digits for a year.
const (
	firstYear = 2000
	lastYear  = 9999
)

// instant checks a time and cuts it to whole milliseconds, which is what is stored; zero stays zero.
func (f *faults) instant(at string, given time.Time) time.Time {
	if given.IsZero() {
		return time.Time{}
	}
	given = given.UTC().Truncate(time.Millisecond)
	if given.Year() < firstYear || given.Year() > lastYear {
		f.add(at, "is not within the years %d to %d", firstYear, lastYear)
		return time.Time{}
	}
	return given
}
