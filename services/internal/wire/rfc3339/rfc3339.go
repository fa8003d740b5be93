// Package rfc3339 reads the times of requests: RFC 3339, section 5.6, always with an offset (decisions, section 1).
package rfc3339

import (
	"errors"
	"strings"
	"time"
)

// Example is a time as it is wanted, for messages and the OpenAPI document.
const Example = "2026-03-01T09:00:00+02:00"

// What is wrong with a text, in words for the tenant.
var (
	ErrForm   = errors.New("must be an RFC 3339 date-time with an offset, for example " + Example)
	ErrOffset = errors.New("has no offset: add Z for UTC or an offset such as +02:00")
	ErrRange  = errors.New("is not a date and time that exists between the years 1 and 9999")
)

const (
	shape     = "0000-00-00T00:00:00" // 0 stands for a digit
	maxYear   = 9999
	offsetLen = len("+00:00")
)

// Parse reads a date-time. package time alone is too generous: it takes a comma before the fraction, and offsets of a day
// and more.
func Parse(text string) (time.Time, error) {
	upper := strings.ToUpper(text) // "t" and "z" are allowed
	if len(upper) < len(shape) || !matches(upper[:len(shape)], shape) {
		return time.Time{}, ErrForm
	}
	offset, ok := afterFraction(upper[len(shape):])
	switch {
	case !ok:
		return time.Time{}, ErrForm
	case offset == "":
		return time.Time{}, ErrOffset
	case !validOffset(offset):
		return time.Time{}, ErrForm
	}
	parsed, err := time.Parse(time.RFC3339, upper)
	if err != nil { // 30 February, 24:00, a leap second
		return time.Time{}, ErrRange
	}
	parsed = parsed.UTC()
	if parsed.Year() < 1 || parsed.Year() > maxYear {
		return time.Time{}, ErrRange
	}
	return parsed, nil
}

func matches(text, shape string) bool {
	for i := range len(shape) {
		if shape[i] == '0' && !digit(text[i]) || shape[i] != '0' && text[i] != shape[i] {
			return false
		}
	}
	return true
}

// afterFraction cuts "." and its digits, when there are any.
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
	return len(offset) == offsetLen && matches(offset[1:], "00:00") && (offset[0] == '+' || offset[0] == '-') &&
		offset[1:3] <= "23" && offset[4:6] <= "59"
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
