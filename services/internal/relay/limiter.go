package relay

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// The bounds of a limiter. One call in flight is always allowed, so that a limiter notices when Temporal recovers.
const (
	minInFlight = 1
	maxInFlight = 64
	// startInFlight is the number of calls that one process may have in flight before it has measured anything.
	startInFlight = 8
	// decrease is the factor by which a slow period lowers the limit.
	decrease = 0.7
	// nearby is the number of shortest durations up to which a call is not slow.
	nearby = 3
	// smoothing is the weight of one call in the average duration.
	smoothing = 0.1
)

// limiter bounds the calls that a lane of the relay has in flight. The bound follows Temporal's latency: it grows by
// one call per period while the average duration is below the target, and shrinks by a factor above it (additive
// increase, multiplicative decrease; RFC 5681 describes the same rule for TCP). Relays of several processes share
// Temporal's capacity in this way without knowing of each other.
//
// A period ends after as many calls as are allowed in flight. It is therefore about one round trip long. A Temporal
// that is far away takes longer without being loaded, so that the target is at least nearby times the shortest duration
// seen.
type limiter struct {
	target  time.Duration
	fastest window

	mu       sync.Mutex
	freed    chan struct{} // has a token if a waiter may try again
	limit    float64
	inFlight int
	average  time.Duration
	calls    int  // in this period
	full     bool // the limit was reached in this period; an unused limit does not grow
	slow     bool // a call of this period failed because Temporal is overloaded
}

func newLimiter(target time.Duration) *limiter {
	return &limiter{target: target, limit: startInFlight, freed: make(chan struct{}, 1)}
}

// acquire waits until a call may start, or returns the context's error.
func (l *limiter) acquire(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if l.tryAcquire() {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.freed:
		}
	}
}

func (l *limiter) tryAcquire() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inFlight >= int(l.limit) {
		l.full = true
		return false
	}
	l.inFlight++
	if l.inFlight < int(l.limit) {
		l.wake() // passes the token on to the next waiter
	}
	return true
}

// release ends a call that took the given time. Overloaded reports that Temporal did not respond in time or refused the
// call because of its load.
func (l *limiter) release(elapsed time.Duration, overloaded bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
	l.calls++
	l.slow = l.slow || overloaded
	if !overloaded {
		l.fastest.add(elapsed)
	}
	l.average = cmp.Or(l.average, elapsed)
	l.average += time.Duration(smoothing * float64(elapsed-l.average))
	if l.calls >= int(l.limit) {
		l.adapt()
	}
	l.wake()
}

// cancel ends a call that was not made.
func (l *limiter) cancel() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
	l.wake()
}

// adapt sets the limit at the end of a period.
func (l *limiter) adapt() {
	switch {
	case l.slow || l.average > max(l.target, nearby*l.fastest.min()):
		l.limit = max(minInFlight, l.limit*decrease)
	case l.full:
		l.limit = min(maxInFlight, l.limit+1)
	}
	l.calls, l.full, l.slow = 0, false, false
}

func (l *limiter) wake() {
	select {
	case l.freed <- struct{}{}:
	default:
	}
}

// allowed returns the number of calls that may be in flight.
func (l *limiter) allowed() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int(l.limit)
}

// windowCalls is the number of calls after which a window begins to raise its minimum.
const windowCalls = 10_000

// window holds the shortest of the last calls: at least windowCalls of them, at most twice as many.
type window struct {
	calls             int
	current, previous time.Duration // zero: none
}

func (w *window) add(elapsed time.Duration) {
	if w.calls++; w.calls > windowCalls {
		w.calls, w.previous, w.current = 0, w.current, 0
	}
	if elapsed = max(elapsed, 1); w.current == 0 {
		w.current = elapsed
	}
	w.current = min(w.current, elapsed)
}

func (w *window) min() time.Duration {
	if w.previous == 0 {
		return w.current
	}
	return min(w.current, w.previous)
}
