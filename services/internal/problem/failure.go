package problem

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	"fencepost.internal/shared/kernel/apperr"
)

// defaultRetryAfter is the Retry-After value when the cause has none.
const defaultRetryAfter = 2 * time.Second

// DetailOfInternal is the detail that clients get for every internal error.
const DetailOfInternal = "The service has an internal error. If it persists, contact support with the requestId."

// Failure returns the error for the client: the *apperr.Error in err's chain, UNAVAILABLE for a timeout or
// cancellation, or INTERNAL. What names the operation in the message: request, call.
func Failure(err error, what string) *apperr.Error {
	if failure := new(apperr.Error); errors.As(err, &failure) {
		return failure
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return apperr.New(apperr.Unavailable, "The %s took too long and was canceled.", what)
	}
	return apperr.New(apperr.Internal, "internal error")
}

// RetryAfter returns the value of the Retry-After header (RFC 9110, section 10.2.3) in whole seconds.
func RetryAfter(failure *apperr.Error) string {
	wait := failure.RetryAfter
	if wait <= 0 {
		wait = defaultRetryAfter
	}
	return strconv.Itoa(int(math.Ceil(wait.Seconds())))
}
