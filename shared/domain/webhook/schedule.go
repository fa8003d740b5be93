package webhook

import (
	"net/http"
	"time"
)

const (
	// MaxAttempts counts the first attempt and five retries.
	MaxAttempts = 6
	// AckTimeout is the total time that a receiver has for its response.
	AckTimeout = 15 * time.Second
	firstRetry = 10 * time.Second
	factor     = 4
	jitter     = 0.2
)

// RetryAfter returns the wait after the n-th attempt (1-based) failed: 10, 40, 160, 640, 2,560 s, ±20 % depending on
// random in [0, 1). A receiver's Retry-After extends a wait to at most twice its base length. It returns false if no
// retry is left.
func RetryAfter(n int, random float64, requested time.Duration) (time.Duration, bool) {
	if n >= MaxAttempts {
		return 0, false
	}
	step := firstRetry
	for range n - 1 {
		step *= factor
	}
	wait := time.Duration(float64(step) * (1 - jitter + 2*jitter*random))
	return max(wait, min(requested, 2*step)), true
}

// Verdict is the meaning of a response for the delivery.
type Verdict int

// Verdicts on a response.
const (
	Accepted Verdict = iota
	Retry
	Gone // the receiver is gone permanently: the endpoint is disabled at once
)

// Judge returns the verdict on a status code: any 2xx is success, 410 disables the endpoint, and any other status,
// including redirects, is a failed attempt.
func Judge(status int) Verdict {
	switch {
	case status >= 200 && status < 300:
		return Accepted
	case status == http.StatusGone:
		return Gone
	default:
		return Retry
	}
}
