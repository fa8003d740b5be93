package mediabox

import (
	"errors"

	"fencepost.internal/shared/infra/mediabox/internal/format"
)

// Failure is the reason why one file gave no result. Any other error of this package concerns the machine or the
// caller's context, and the file may be retried.
type Failure = format.Failure

// Class is the kind of a Failure.
type Class = format.Class

// The classes. A retry can help only with TimedOut, on a machine that was busy.
const (
	Unsupported = format.Unsupported // a format, codec or variant that is not supported
	TooLarge    = format.TooLarge    // more pixels, frames, memory or output than is allowed
	Broken      = format.Broken      // does not match its type, is damaged, or crashed its decoder
	TimedOut    = format.TimedOut    // exceeded its processor time or its wall-clock time
	Locked      = format.Locked      // requires a password
	ToolMissing = format.ToolMissing // the program for this type is not installed; the operator must install it
)

// ClassOf returns the class of the Failure in err's chain; false if there is none.
func ClassOf(err error) (Class, bool) {
	if failure, ok := errors.AsType[*Failure](err); ok {
		return failure.Class, true
	}
	return "", false
}
