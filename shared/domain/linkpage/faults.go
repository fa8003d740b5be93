package linkpage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/plaintext"
)

// faults collects validation errors, so that all are reported at once; each has a JSON Pointer into the body.
type faults []apperr.Field

func (f *faults) add(pointer, format string, args ...any) {
	*f = append(*f, apperr.Field{Pointer: pointer, Message: fmt.Sprintf(format, args...)})
}

// text validates a text that may have several lines. It returns "" if the text is invalid.
func (f *faults) text(at, given string, longest int) string {
	text, fault := plaintext.Lines(given, longest)
	return f.taken(at, text, fault)
}

// line is like text for a single-line text.
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

// oneOf returns the given value if it is known, and the first known value if none is given.
func oneOf[S ~string](f *faults, at string, given S, known []S) S {
	if given == "" {
		return known[0]
	}
	if slices.Contains(known, given) {
		return given
	}
	f.add(at, "%.40q is not one of %s", string(given), names(known))
	return ""
}

func names[S ~string](known []S) string {
	parts := make([]string, len(known))
	for i, k := range known {
		parts[i] = string(k)
	}
	return strings.Join(parts, ", ")
}

// Range of years in times of a block: JSON and the database support four digits.
const (
	firstYear = 2000
	lastYear  = 9999
)

// instant validates a time and truncates it to milliseconds, the stored precision; zero stays zero.
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
