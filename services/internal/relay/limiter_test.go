package relay //nolint:testpackage // the limiter has no other entrance

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// saturate keeps the limiter full for a number of calls that take the given time, and returns the most calls that were
// in flight at once.
func saturate(l *limiter, calls int, elapsed time.Duration, overloaded bool) (peak int) {
	inFlight := 0
	for range calls {
		for l.tryAcquire() {
			inFlight++
		}
		peak = max(peak, inFlight)
		l.release(elapsed, overloaded)
		inFlight--
	}
	for range inFlight {
		l.cancel()
	}
	return peak
}

// TestLimitFollowsLatency checks additive increase below the target and multiplicative decrease above it.
func TestLimitFollowsLatency(t *testing.T) {
	t.Parallel()
	const fast, slow = 20 * time.Millisecond, 900 * time.Millisecond
	l := newLimiter(urgentTarget)
	require.Equal(t, startInFlight, l.allowed())
	saturate(l, startInFlight, fast, false)
	require.Equal(t, startInFlight+1, l.allowed(), "one more call per period")
	require.Equal(t, maxInFlight, saturate(l, 10_000, fast, false), "up to the maximum")

	saturate(l, 1000, slow, false)
	require.Equal(t, minInFlight, l.allowed(), "one call is always allowed")
	saturate(l, 100, fast, false)
	require.Greater(t, l.allowed(), 2*minInFlight, "the limit grows again")
}

func TestUnusedLimitDoesNotGrow(t *testing.T) {
	t.Parallel()
	l := newLimiter(urgentTarget)
	for range 1000 {
		require.True(t, l.tryAcquire())
		l.release(time.Millisecond, false)
	}
	require.Equal(t, startInFlight, l.allowed())
}

// TestRefusalLowersLimit checks that a call that Temporal refused because of its load counts as slow, however soon
// it was refused.
func TestRefusalLowersLimit(t *testing.T) {
	t.Parallel()
	l := newLimiter(urgentTarget)
	saturate(l, startInFlight-1, time.Millisecond, false)
	saturate(l, 1, time.Millisecond, true)
	require.Equal(t, 5, l.allowed(), "8 × 0.7")
}

// TestDistantTemporalIsNotSlow checks that a constant round trip above the target does not lower the limit, and that
// three times that duration does.
func TestDistantTemporalIsNotSlow(t *testing.T) {
	t.Parallel()
	const distance = 150 * time.Millisecond
	l := newLimiter(patientTarget)
	saturate(l, 1000, distance, false)
	require.Greater(t, l.allowed(), startInFlight)
	saturate(l, 3*windowCalls, distance, false)
	require.Equal(t, maxInFlight, l.allowed(), "the shortest duration is kept while it lasts")
	saturate(l, 1000, 4*distance, false)
	require.Less(t, l.allowed(), startInFlight)
}

// TestShortestDurationExpires covers a Temporal that moved away.
func TestShortestDurationExpires(t *testing.T) {
	t.Parallel()
	var w window
	require.Zero(t, w.min())
	w.add(time.Millisecond)
	for range windowCalls {
		w.add(time.Second)
	}
	require.Equal(t, time.Millisecond, w.min())
	for range windowCalls + 1 {
		w.add(time.Second)
	}
	require.Equal(t, time.Second, w.min())
}

// TestWaitersGetReleasedCalls has more waiters than calls: each gets its turn, and one whose context ends gets none.
func TestWaitersGetReleasedCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(urgentTarget)
		served := make(chan struct{}, 100)
		for range 100 {
			go func() {
				if l.acquire(t.Context()) == nil {
					<-time.After(time.Millisecond)
					l.release(time.Millisecond, false)
					served <- struct{}{}
				}
			}()
		}
		synctest.Wait()
		require.Equal(t, startInFlight, l.flying())
		ended, end := context.WithCancel(t.Context())
		end()
		require.ErrorIs(t, l.acquire(ended), context.Canceled)
		for range 100 {
			<-served
		}
		synctest.Wait()
		require.Zero(t, l.flying())
	})
}

// TestReleasedCallsReachEveryWaiter frees several calls with one wake-up: each waiter that gets one passes it on while
// others are free.
func TestReleasedCallsReachEveryWaiter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(urgentTarget)
		for l.tryAcquire() {
		}
		var served atomic.Int32
		wait := func() {
			if l.acquire(t.Context()) == nil {
				served.Add(1)
			}
		}
		go wait()
		go wait()
		synctest.Wait()
		l.mu.Lock()
		l.inFlight -= 2
		l.mu.Unlock()
		l.wake()
		synctest.Wait()
		require.EqualValues(t, 2, served.Load())
		require.Empty(t, l.freed, "no call is left")
		go wait()
		synctest.Wait()
		l.cancel()
		synctest.Wait()
		require.EqualValues(t, 3, served.Load(), "a call that was not made is free")
	})
}

// TestSlowCallLowersLimit covers periods with one slow or refused call, which comes first.
func TestSlowCallLowersLimit(t *testing.T) {
	t.Parallel()
	l := newLimiter(urgentTarget)
	saturate(l, 1, time.Millisecond, true)
	saturate(l, startInFlight-1, time.Millisecond, false)
	require.Equal(t, 5, l.allowed(), "a refusal counts to the end of its period")

	l = newLimiter(urgentTarget)
	saturate(l, 1, 4*urgentTarget, false)
	saturate(l, startInFlight-1, urgentTarget/5, false)
	require.Equal(t, 5, l.allowed(), "the first call is the average")

	l = newLimiter(urgentTarget)
	l.average, l.full = urgentTarget, true
	l.adapt()
	require.Equal(t, startInFlight+1, l.allowed(), "the target itself is not slow")
}

// TestWindowKeepsShortestCall checks its length: the minimum is kept for windowCalls calls and at most twice as many.
func TestWindowKeepsShortestCall(t *testing.T) {
	t.Parallel()
	var w window
	w.add(2)
	w.add(3)
	require.EqualValues(t, 2, w.min())
	w.add(1)
	for range windowCalls - 3 {
		w.add(5)
	}
	require.Zero(t, w.previous)
	w.add(4)
	require.EqualValues(t, 1, w.previous)
	require.EqualValues(t, 1, w.min())
	require.EqualValues(t, 4, w.current)
	w.previous = 9
	require.EqualValues(t, 4, w.min())
}

// flying returns the number of calls in flight.
func (l *limiter) flying() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inFlight
}
