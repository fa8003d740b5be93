// Package fault names why a file could not be made into what was asked for.
package fault

import "fmt"

// Class is the kind of a failure. It may be stored beside an asset; its values never change.
type Class string

// The classes. All but TimedOut say the same again when the file is tried again.
const (
	Unsupported Class = "unsupported"  // a format, coding or variant that is not handled
	TooLarge    Class = "too_large"    // more pixels, frames, memory or output than is allowed
	Broken      Class = "broken"       // not what its type says, damaged, or it crashed its decoder
	TimedOut    Class = "timed_out"    // used up its processor time or its time by the clock
	ToolMissing Class = "tool_missing" // the program for this type is not installed: the operator's matter
)

// Failure is what went wrong with one file.
type Failure struct {
	Class Class
	// Detail is for the log: what a decoder said, cut short. It may quote the file, so it is no text for a tenant.
	Detail string
}

// Error is the log's text.
func (f *Failure) Error() string { return fmt.Sprintf("%s: %s", f.Class, f.Detail) }

// New makes a failure of a class; the detail is formatted as by fmt.
func New(class Class, format string, args ...any) *Failure {
	const longest = 300
	detail := fmt.Sprintf(format, args...)
	if len(detail) > longest {
		detail = detail[:longest]
	}
	return &Failure{Class: class, Detail: detail}
}
