package problem

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	"socialpub.internal/shared/kernel/apperr"
)

// defaultRetryAfter is what clients are told when the cause does not know better.
const defaultRetryAfter = 2 * time.Second

// DetailOfInternal is all that clients are told of what happened inside.
const DetailOfInternal = "Something went wrong inside the service. If it stays so, tell support the requestId."

// Failure is the refusal that an error stands for: its own, or UNAVAILABLE for one that ran out of time, or INTERNAL. What names what
// was asked: request, call.
func Failure(err error, what string) *apperr.Error {
	if failure := new(apperr.Error); errors.As(err, &failure) {
		return failure
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return apperr.New(apperr.Unavailable, "The %s took too long and was given up.", what)
	}
	return apperr.New(apperr.Internal, "internal error")
}

// RetryAfter is the header of that name (RFC 9110, section 10.2.3): whole seconds.
func RetryAfter(failure *apperr.Error) string {
	wait := failure.RetryAfter
	if wait <= 0 {
		wait = defaultRetryAfter
	}
	return strconv.Itoa(int(math.Ceil(wait.Seconds())))
}
