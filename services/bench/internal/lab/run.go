package lab

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// pollEvery is the interval between polls during a measurement. The polls are cheap, and rare enough not to affect the
// measurement.
const pollEvery = 100 * time.Millisecond

// Run is one measurement. Its methods end it if they fail, as those of testing.T end a test: the calling goroutine exits
// after its deferred functions, the context of the others is canceled, and Do returns the error.
type Run struct {
	*Lab

	ctx      context.Context
	cancel   context.CancelCauseFunc
	client   *http.Client
	cleanups []func()
}

// Do runs a measurement, and then its cleanups in reverse order. It returns the first error.
func (l *Lab) Do(ctx context.Context, measure func(*Run)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &Run{Lab: l, ctx: ctx, cancel: cancel, client: newClient()}
	var running sync.WaitGroup
	running.Go(func() { measure(r) })
	running.Wait()
	for _, cleanup := range slices.Backward(r.cleanups) {
		cleanup()
	}
	return context.Cause(ctx)
}

// Context returns the context of the measurement.
func (r *Run) Context() context.Context { return r.ctx }

// Cleanup registers a function to call after the measurement.
func (r *Run) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

// Check ends the measurement unless err is nil.
func (r *Run) Check(err error) {
	if err != nil {
		r.cancel(err)
		runtime.Goexit()
	}
}

// Failf ends the measurement with an error.
func (r *Run) Failf(format string, args ...any) { r.Check(fmt.Errorf(format, args...)) }

// Together calls the functions concurrently and waits for all of them.
func (r *Run) Together(functions ...func()) {
	var running sync.WaitGroup
	for _, f := range functions {
		running.Go(f)
	}
	running.Wait()
	r.Check(context.Cause(r.ctx))
}

// Pause waits for the duration.
func (r *Run) Pause(d time.Duration) {
	select {
	case <-r.ctx.Done():
		r.Check(r.ctx.Err())
	case <-time.After(d):
	}
}

// Until polls until done returns true. It fails after the limit.
func (r *Run) Until(limit time.Duration, what string, done func() bool) {
	for end := time.Now().Add(limit); !done(); r.Pause(pollEvery) {
		if time.Now().After(end) {
			r.Failf("waited %s until %s", limit, what)
		}
	}
}

// UntilNone polls until a query returns zero. It fails after the limit.
func (r *Run) UntilNone(limit time.Duration, what, query string, args ...any) {
	r.Until(limit, what, func() bool { return Value[int](r, query, args...) == 0 })
}

// OutboxEmpty waits until the relay has delivered all outbox messages to Temporal.
func (r *Run) OutboxEmpty(limit time.Duration) {
	r.UntilNone(limit, "the outbox is empty", `SELECT count(*) FROM (SELECT 1 FROM outbox LIMIT 1) o`)
}

// EventsNumbered waits until the relay has fanned out all events, so that the fan-out does not overlap with a
// measurement.
func (r *Run) EventsNumbered(limit time.Duration) {
	r.UntilNone(limit, "the events are numbered", `SELECT count(*) FROM event WHERE seq IS NULL`)
}

// Value returns the only value of a query.
func Value[T any](r *Run, query string, args ...any) (value T) {
	r.Check(r.SQL.QueryRow(r.ctx, query, args...).Scan(&value))
	return value
}

// Rows returns the rows of a query as structs with the columns' order of fields.
func Rows[T any](r *Run, query string, args ...any) []T {
	rows, err := r.SQL.Query(r.ctx, query, args...)
	r.Check(err)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	r.Check(err)
	return all
}
