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
	keeper := keeper{kept: kept, clock: clock, report: report, delay: firstDelay, started: clock.Now()}
	for {
		select {
		case <-ctx.Done():
			return
		case reason := <-kept.Crashes():
			report("ended unexpectedly: " + reason.Error())
			keeper.restart(ctx)
		}
	}
}

type keeper struct {
	kept    Restartable
	clock   Clock
	report  func(string)
	delay   time.Duration // before the next start
	started time.Time     // of the last start
}

// restart tries to start the unit until it is up, was stopped on purpose, or ctx ends.
func (k *keeper) restart(ctx context.Context) {
	if k.clock.Now().Sub(k.started) >= healthyAfter {
		k.delay = firstDelay
	}
	for {
		k.report("restarting in " + k.delay.String())
		select {
		case <-ctx.Done():
			return
		case <-k.clock.After(k.delay):
		}
		k.delay = min(k.delay*2, longestDelay)
		if k.kept.Status().State != Crashed {
			return
		}
		k.started = k.clock.Now()
		err := k.kept.Start(ctx)
		if err == nil {
			k.report("is up again")
			return
		}
		if errors.Is(err, context.Canceled) {
			return
		}
		k.report(err.Error())
	}
}
