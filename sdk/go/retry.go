package fencepost

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"
)

const (
	firstWait = 500 * time.Millisecond
	longest   = 30 * time.Second
	// longestRetryAfter is the longest wait that a call makes on its own; a longer one is left to the caller.
	longestRetryAfter = 5 * time.Minute
	// The shift of firstWait after which it exceeds the longest wait.
	mostDoublings = 6
)

// transientStatuses are the statuses after which another try may succeed.
var transientStatuses = []int{
	http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
	http.StatusGatewayTimeout,
}

// transient reports whether another try may succeed.
func (e *Error) transient() bool {
	switch e.Kind { //nolint:exhaustive // the others last
	case KindConnection, KindTimeout:
		return !e.byCaller
	case KindAPI:
		return slices.Contains(transientStatuses, e.Status) || e.Code == ProblemCodeIdempotencyInProgress
	default:
		return false
	}
}

// wait returns the time before the next try: what the service demands, or a random one that grows.
func wait(n int, err *Error) time.Duration {
	if err.hasRetryAfter {
		return err.RetryAfter
	}
	return rand.N(min(firstWait<<min(n, mostDoublings), longest) + 1) //nolint:gosec // spreads clients, keeps no secret
}

// retryAfter parses Retry-After: seconds or a date. A date in the past is no wait.
func retryAfter(header http.Header, now time.Time) (wait time.Duration, ok bool) {
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil {
		const most = uint64(1<<63-1) / uint64(time.Second)
		return time.Duration(min(seconds, most)) * time.Second, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	return max(0, at.Sub(now)), true
}
