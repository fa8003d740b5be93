package unit

import (
	"context"
	"errors"
	"time"
)

// The restart policy of a crashed unit: half a second at first, twice as long each time, at most 15 s; a unit that
// stayed up for 30 s starts again from the beginning.
const (
	firstDelay   = 500 * time.Millisecond
	longestDelay = 15 * time.Second
	healthyAfter = 30 * time.Second
)

// Clock tells the time and waits, so that tests need not.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// SystemClock is the machine's clock.
type SystemClock struct{}

// Now is time.Now.
func (SystemClock) Now() time.Time { return time.Now() }

// After is time.After.
func (SystemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// Restartable is the part of a Unit that Keep needs.
type Restartable interface {
	Crashes() <-chan error
	Start(ctx context.Context) error
	Status() Status
}

// Keep starts a unit again whenever it crashes, until ctx ends. report is told what happens, in words. A unit that was
// stopped on purpose stays stopped, also when that happens during the wait before a restart.
func Keep(ctx context.Context, kept Restartable, clock Clock, report func(message string)) {
	delay, up := firstDelay, clock.Now()
	for {
		var reason error
		select {
		case <-ctx.Done():
			return
		case reason = <-kept.Crashes():
		}
		if clock.Now().Sub(up) >= healthyAfter {
			delay = firstDelay
		}
		report("ended unexpectedly: " + reason.Error())
		delay = restart(ctx, kept, clock, delay, report)
		up = clock.Now()
	}
}

// restart tries to start the unit until it is up, stopped on purpose or ctx ends, and returns the delay for next time.
func restart(ctx context.Context, kept Restartable, clock Clock, delay time.Duration, report func(string)) time.Duration {
	for {
		report("restarting in " + delay.String())
		select {
		case <-ctx.Done():
			return delay
		case <-clock.After(delay):
		}
		delay = min(delay*2, longestDelay)
		if kept.Status().State != Crashed {
			return delay
		}
		err := kept.Start(ctx)
		if err == nil || errors.Is(err, context.Canceled) {
			return delay
		}
		report(err.Error())
	}
}
