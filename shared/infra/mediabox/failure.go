package mediabox

import (
	"errors"

	"socialpub.internal/shared/infra/mediabox/internal/fault"
)

// Failure says why one file gave no result. Any other error of this package is about the machine or the caller's context:
// the file may be tried again.
type Failure = fault.Failure

// Class is the kind of a Failure.
type Class = fault.Class

// The classes. Trying again can help TimedOut alone, on a machine that was busy.
const (
	Unsupported = fault.Unsupported // a format, coding or variant that is not handled
	TooLarge    = fault.TooLarge    // more pixels, frames, memory or output than is allowed
	Broken      = fault.Broken      // not what its type says, damaged, or it crashed its decoder
	TimedOut    = fault.TimedOut    // used up its processor time or its time by the clock
	ToolMissing = fault.ToolMissing // the program for this type is not installed: the operator's matter
)

// ClassOf is the class of the Failure in err's chain; false when there is none.
func ClassOf(err error) (Class, bool) {
	if failure, ok := errors.AsType[*Failure](err); ok {
		return failure.Class, true
	}
	return "", false
}
