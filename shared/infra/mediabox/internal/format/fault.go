package format

import (
	"errors"
	"fmt"
)

// Class is the kind of a failure. It may be stored with an asset, so its values never change.
type Class string

// The classes. Except for TimedOut, a retry gives the same result.
const (
	Unsupported Class = "unsupported"  // a format, codec or variant that is not supported
	TooLarge    Class = "too_large"    // more pixels, frames, memory or output than is allowed
	Broken      Class = "broken"       // does not match its type, is damaged, or crashed its decoder
	TimedOut    Class = "timed_out"    // exceeded its processor time or its wall-clock time
	Locked      Class = "locked"       // requires a password
	ToolMissing Class = "tool_missing" // the program for this type is not installed; the operator must install it
)

// Failure is an error of one file.
type Failure struct {
	Class Class
	// Detail is for the log: a decoder's message, truncated. It may quote the file, so it must not be shown to a
	// tenant.
	Detail string
}

// Error returns the text for the log.
func (f *Failure) Error() string { return fmt.Sprintf("%s: %s", f.Class, f.Detail) }

// Fail returns a failure of a class. The detail is formatted as by fmt.
func Fail(class Class, format string, args ...any) *Failure {
	const longest = 300
	detail := fmt.Sprintf(format, args...)
	if len(detail) > longest {
		detail = detail[:longest]
	}
	return &Failure{Class: class, Detail: detail}
}

// IsBroken reports whether the error means that the file is malformed.
func IsBroken(err error) bool {
	failure, ok := errors.AsType[*Failure](err)
	return ok && failure.Class == Broken
}
