// Package rfc3339 parses the times of requests: RFC 3339, section 5.6, always with an offset (docs/contract.md, Times).
package rfc3339

import (
	"errors"
	"strings"
	"time"
)

// Example is a valid time, for messages and the OpenAPI document.
const Example = "2026-03-01T09:00:00+02:00"

// The faults of a text, worded for the tenant.
var (
	ErrForm    = errors.New("must be an RFC 3339 date-time with an offset, for example " + Example)
	ErrSeconds = errors.New("has no seconds: write 09:00:00 instead of 09:00")
	ErrOffset  = errors.New("has no offset: add Z for UTC or an offset such as +02:00")
	ErrColon   = errors.New("has an offset without a colon: write +01:00 instead of +0100")
	ErrRange   = errors.New("is not a date and time that exists between the years 1 and 9999")
)

const (
	shape     = "0000-00-00T00:00:00" // 0 matches a digit
	minutes   = len("0000-00-00T00:00")
	maxYear   = 9999
	offsetLen = len("+00:00")
)

// Parse parses a date-time. Package time alone is too permissive: it accepts a comma before the fraction, and offsets
// of a day and more.
func Parse(text string) (time.Time, error) {
	upper := strings.ToUpper(text) // "t" and "z" are valid
	if !startsWith(upper, shape) {
		return time.Time{}, formOf(upper)
	}
	offset, ok := afterFraction(upper[len(shape):])
	switch {
	case !ok:
		return time.Time{}, ErrForm
	case offset == "":
		return time.Time{}, ErrOffset
	case len(offset) == len("+0000") && validOffset(offset[:3]+":"+offset[3:]):
		return time.Time{}, ErrColon
	case !validOffset(offset):
		return time.Time{}, ErrForm
	}
	parsed, err := time.Parse(time.RFC3339, upper)
	if err != nil { // February 30, 24:00, a leap second
		return time.Time{}, ErrRange
	}
	parsed = parsed.UTC()
	if parsed.Year() < 1 || parsed.Year() > maxYear {
		return time.Time{}, ErrRange
	}
	return parsed, nil
}

// formOf returns the fault of a text that does not start with a date and a time of day.
func formOf(upper string) error {
	if !startsWith(upper, shape[:minutes]) {
		return ErrForm
	}
	switch rest := upper[minutes:]; {
	case rest == "", validOffset(rest), len(rest) == len("+0000") && validOffset(rest[:3]+":"+rest[3:]):
		return ErrSeconds
	default:
		return ErrForm
	}
}

func startsWith(text, shape string) bool {
	if len(text) < len(shape) {
		return false
	}
	for i := range len(shape) {
		if shape[i] == '0' && !digit(text[i]) || shape[i] != '0' && text[i] != shape[i] {
			return false
		}
	}
	return true
}

// afterFraction removes "." and its digits, if any.
func afterFraction(rest string) (string, bool) {
	if !strings.HasPrefix(rest, ".") {
		return rest, true
	}
	offset := strings.TrimLeft(rest[1:], "0123456789")
	return offset, len(offset) < len(rest)-1
}

func validOffset(offset string) bool {
	if offset == "Z" {
		return true
	}
	return len(offset) == offsetLen && startsWith(offset[1:], "00:00") && (offset[0] == '+' || offset[0] == '-') &&
		offset[1:3] <= "23" && offset[4:6] <= "59"
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
