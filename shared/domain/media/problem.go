package media

// Problem says why a processed file has no thumbnail, and whether it can be published. It is stored and used as a metric
// label; its values must not change.
type Problem = string

// The problems. The first six are the failure classes of the programs that open files.
const (
	ProblemUnsupported Problem = "unsupported"  // a format, codec or variant that the service does not open
	ProblemTooLarge    Problem = "too_large"    // more pixels, frames or memory than the service allows
	ProblemBroken      Problem = "broken"       // damaged
	ProblemTimedOut    Problem = "timed_out"    // took too long to open
	ProblemLocked      Problem = "locked"       // requires a password
	ProblemToolMissing Problem = "tool_missing" // the operator has not installed the program for it
	ProblemGone        Problem = "gone"         // the object is no longer in storage
	ProblemChanged     Problem = "changed"      // the object is not the stored one
	ProblemUnavailable Problem = "unavailable"  // storage was unavailable for too long
)

// Error codes of files. The first two are also those of posts with a file that cannot be sent.
const (
	CodeGone        = "MEDIA_GONE"
	CodeDamaged     = "MEDIA_DAMAGED"
	CodeLocked      = "MEDIA_LOCKED"
	CodeTooLarge    = "MEDIA_TOO_LARGE"
	CodeUnsupported = "MEDIA_UNSUPPORTED"
	CodeUnchecked   = "MEDIA_UNCHECKED" // the service is at fault, not the file
)

// Convertible reports whether the service can make another form of the file, as far as is known.
func (a Asset) Convertible() bool {
	switch a.Problem {
	case ProblemUnsupported, ProblemTooLarge, ProblemBroken, ProblemLocked, ProblemGone, ProblemChanged:
		return false
	default:
		return true
	}
}
