package process

import (
	"context"
	"time"
)

// Restart policy of a crashed unit: the delay starts at half a second and doubles, up to 15 s. It starts over after the
// unit stayed up for 30 s.
const (
	firstDelay   = 500 * time.Millisecond
	longestDelay = 15 * time.Second
	healthyAfter = 30 * time.Second
)

// Restartable is the part of a Unit that Watch and Keep need.
type Restartable interface {
	Name() string
	Crashes() <-chan error
	Launch(ctx context.Context) error
	Status() Status
}

// Watch calls crashed after each crash of a unit until ctx ends.
func Watch(ctx context.Context, unit Restartable, crashed func(reason error)) {
	for {
		select {
		case <-ctx.Done():
			return
		case reason := <-unit.Crashes():
			crashed(reason)
		}
	}
}

// Keep restarts a unit after each crash until ctx ends. It does not wait until the unit is ready, because its
// dependencies may be down too. It describes each step to report. A unit that was stopped on purpose stays stopped, also
// if it was stopped during the delay before a restart.
func Keep(ctx context.Context, unit Restartable, report func(message string)) {
	started, delay := time.Now(), firstDelay
	Watch(ctx, unit, func(reason error) {
		report(unit.Name() + " ended unexpectedly: " + reason.Error())
		if time.Since(started) >= healthyAfter {
			delay = firstDelay
		}
		for failed := true; failed; {
			report(unit.Name() + " is restarted in " + delay.String())
			select {
			case <-ctx.Done():
				return
			case <-time.After(delay):
			}
			if unit.Status().State != Crashed {
				return
			}
			started, delay = time.Now(), min(2*delay, longestDelay)
			err := unit.Launch(ctx)
			if failed = err != nil; failed {
				report(err.Error())
			}
		}
		report(unit.Name() + " was restarted")
	})
}
