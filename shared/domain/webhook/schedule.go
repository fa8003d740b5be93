package webhook

import (
	"net/http"
	"time"
)

const (
	// MaxAttempts is the first attempt and five retries.
	MaxAttempts = 6
	// AckTimeout is how long a receiver has for its answer, in all.
	AckTimeout = 15 * time.Second
	firstRetry = 10 * time.Second
	factor     = 4
	jitter     = 0.2
)

// RetryAfter is how long to wait after the n-th attempt (1-based) failed: 10, 40, 160, 640, 2,560 s, ± 20 % by random in
// [0, 1). A receiver's Retry-After stretches a step to at most twice its length. False when no retry is left.
func RetryAfter(n int, random float64, asked time.Duration) (time.Duration, bool) {
	if n >= MaxAttempts {
		return 0, false
	}
	step := firstRetry
	for range n - 1 {
		step *= factor
	}
	wait := time.Duration(float64(step) * (1 - jitter + 2*jitter*random))
	return max(wait, min(asked, 2*step)), true
}

// Verdict is what an answer means for the delivery.
type Verdict int

// The verdicts.
const (
	Accepted Verdict = iota
	Retry
	Gone // the receiver says it is gone for good: the endpoint is disabled at once
)

// Judge reads a status code: any 2xx is success, 410 disables, all else (redirects too) is a failed attempt.
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
