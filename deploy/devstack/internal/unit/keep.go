package unit

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Restart policy of a crashed unit: the delay starts at half a second and doubles, up to 15 s. It is reset after the
// unit stayed up for 30 s.
const (
	firstDelay   = 500 * time.Millisecond
	longestDelay = 15 * time.Second
	healthyAfter = 30 * time.Second
)

// Clock returns the time and waits. Tests replace it.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// SystemClock is the system clock.
type SystemClock struct{}

// Now returns time.Now.
func (SystemClock) Now() time.Time { return time.Now() }

// After returns time.After.
func (SystemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// Restartable is the part of a Unit that Keep needs.
type Restartable interface {
	Crashes() <-chan error
	Start(ctx context.Context) error
	Status() Status
}

// Keep restarts a unit after each crash until ctx ends. It describes each step to report. A unit that was stopped on
// purpose stays stopped, also if it was stopped during the delay before a restart.
func Keep(ctx context.Context, kept Restartable, clock Clock, report func(message string)) {
	keeper := keeper{kept: kept, clock: clock, report: report, delays: delays(), started: clock.Now()}
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

// delays returns the delays of the restart policy. They have no jitter: one unit restarts at a time.
func delays() *backoff.ExponentialBackOff {
	delays := &backoff.ExponentialBackOff{InitialInterval: firstDelay, MaxInterval: longestDelay, Multiplier: 2}
	delays.Reset()
	return delays
}

type keeper struct {
	kept    Restartable
	clock   Clock
	report  func(string)
	delays  *backoff.ExponentialBackOff // before the next starts
	started time.Time                   // of the last start
}

// restart tries to start the unit until it is up, was stopped on purpose, or ctx ends.
func (k *keeper) restart(ctx context.Context) {
	if k.clock.Now().Sub(k.started) >= healthyAfter {
		k.delays.Reset()
	}
	for {
		delay := k.delays.NextBackOff()
		k.report("restarting in " + delay.String())
		select {
		case <-ctx.Done():
			return
		case <-k.clock.After(delay):
		}
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
