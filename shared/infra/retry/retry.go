// Package retry repeats operations: with growing pauses, in rounds at an interval, or for the rows of a table that no
// workflow carries.
//
// A Loop claims rows, handles them and lets their handlers record the results. A claim locks free rows with SKIP LOCKED and
// reserves them for a lease, so that among all processes each row has one handler at a time. When a process dies, its
// leases end, and another process claims the rows. Workspaces take turns: one whose handlers hang leaves most places to the
// others.
package retry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Pauses are the pauses between tries: the first, doubled after each try up to the longest.
type Pauses struct {
	First, Longest time.Duration
	// Jitter is the part by which a pause is randomly shorter or longer, so that callers that wait for the same thing do
	// not retry together.
	Jitter float64
}

// Start returns the pauses from the first on, for a loop of its own: NextBackOff returns the next pause, and Reset
// continues with the first.
func (p Pauses) Start() *backoff.ExponentialBackOff {
	pauses := &backoff.ExponentialBackOff{
		InitialInterval: p.First, MaxInterval: p.Longest, Multiplier: 2, RandomizationFactor: p.Jitter,
	}
	pauses.Reset()
	return pauses
}

// Do calls try until it succeeds or returns an error that again does not accept. If the context ends between two tries,
// Do returns an error that matches both the context's error and the error of the last try.
func Do[T any](ctx context.Context, pauses Pauses, again func(error) bool, try func() (T, error)) (T, error) {
	var last error
	result, err := backoff.Retry(ctx, func() (T, error) {
		result, err := try()
		if last = err; err != nil && !again(err) {
			err = backoff.Permanent(err)
		}
		return result, err
	}, backoff.WithBackOff(pauses.Start()), backoff.WithMaxElapsedTime(0)) // only the context limits the time
	if err != nil && last != nil && !errors.Is(err, last) {
		err = fmt.Errorf("%w: %w", err, last)
	}
	return result, err
}

// Every does a round immediately and then one per interval, until the context is canceled. It passes the error of a round
// to failed, unless the context is canceled; the next round catches up.
func Every(ctx context.Context, interval time.Duration, round func(context.Context) error, failed func(error)) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		if err := round(ctx); err != nil && ctx.Err() == nil {
			failed(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
