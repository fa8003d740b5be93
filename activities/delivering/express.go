package delivering

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/infra/telemetry/traces"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/kernel/ident"
)

// Crash points of the express lane, besides those of an attempt.
const (
	FailAfterClaim   = "express.after_claim"
	FailBeforeRecord = "express.before_record"
)

const (
	// expressBatch bounds the deliveries of one claim and the attempts of one record.
	expressBatch = 200
	// expressGather is the time for which a record waits for further attempts, so that a burst is recorded in batches.
	expressGather = 5 * time.Millisecond
	// recorders is the number of records in flight.
	recorders = 2
	// recordFor is the time for which a record is tried again while the database is unavailable. It ends before the
	// leases.
	recordFor = 10 * time.Second
	// busyPoll and idlePoll are the shortest and the longest pause between two claims that find nothing. Messages of other
	// processes arrive without a wake-up.
	busyPoll = 50 * time.Millisecond
	idlePoll = time.Second
	// reservePoll is the shortest pause between two reservations, which also report that the lane works.
	reservePoll = 250 * time.Millisecond
	// shutdownTimeout is the time limit for attempts in flight on shutdown, less than that of the Temporal workers.
	shutdownTimeout = 10 * time.Second
)

// recordPauses are the pauses between the tries of a record.
var recordPauses = retry.Pauses{First: 100 * time.Millisecond, Longest: time.Second}

// Express is the express lane of webhook deliveries: it makes the first attempt of deliveries that Temporal has not
// taken in time, because of a burst or because it is down. Its places, signatures and records are those of Deliverer. A
// delivery that it does not settle gets its workflow: a failed one for its retries, one whose process died when its
// lease ends.
type Express struct {
	deliverer *Deliverer
	loop      *retry.Loop[postgres.Express]
	tick      time.Duration // between two reservations
	delivered chan postgres.Delivered
}

// NewExpress returns a lane with a maximum number of attempts in flight, for deliveries that have waited for the given
// time. Without the lane's setting in the database configuration, it finds nothing.
func NewExpress(d *Deliverer, after time.Duration, inFlight int, metrics *retry.Metrics) (*Express, error) {
	if d == nil || after < 0 || inFlight < 1 {
		return nil, errors.New("delivering: the express lane requires a deliverer and at least one place")
	}
	const often = 4
	e := &Express{
		deliverer: d, tick: min(max(after/often, reservePoll), idlePoll), delivered: make(chan postgres.Delivered, inFlight),
	}
	var err error
	e.loop, err = retry.NewLoop(retry.LoopConfig[postgres.Express]{
		Name: "express", InFlight: inFlight, Batch: expressBatch, Shutdown: shutdownTimeout,
		Busy: busyPoll, Idle: min(max(after/often, busyPoll), idlePoll),
		Clock: d.Clock, Logger: d.Logger, Metrics: metrics, Claim: e.claim, Handle: e.deliver,
		Workspace: func(x postgres.Express) ident.Workspace { return x.Delivery.WorkspaceID },
	})
	return e, err
}

// Wake reports that deliveries may have been reserved. It never blocks, and does nothing on a nil lane.
func (e *Express) Wake() {
	if e != nil {
		e.loop.Wake()
	}
}

// Run sends deliveries until the context is canceled. It then starts no further attempt, and waits for those in flight
// to be recorded. An attempt that takes longer than the shutdown allows is left to Temporal.
func (e *Express) Run(ctx context.Context) {
	var loops sync.WaitGroup
	for range recorders {
		loops.Go(func() { e.record(context.WithoutCancel(ctx)) })
	}
	loops.Go(func() {
		retry.Every(ctx, e.tick, e.reserve, func(err error) { e.report(ctx, "reserve", err) })
	})
	e.loop.Run(ctx)
	close(e.delivered)
	loops.Wait()
}

func (e *Express) report(ctx context.Context, step string, err error) {
	if err != nil && ctx.Err() == nil {
		e.deliverer.Logger.WarnContext(ctx, "the express lane is waiting for the database", slog.String("step", step),
			slog.Any("error", err))
	}
}

// reserve reserves late deliveries, and reports that the lane works.
func (e *Express) reserve(ctx context.Context) error {
	reserved, err := e.deliverer.Deliveries.Reserve(ctx)
	if reserved > 0 {
		e.Wake()
	}
	return err
}

// claim leases a batch. If the process dies, the leases end, and Temporal gets the deliveries.
func (e *Express) claim(ctx context.Context, turn retry.Turn) ([]postgres.Express, error) {
	claimed, err := e.deliverer.Deliveries.Claim(ctx, turn)
	if len(claimed) == 0 {
		return nil, err
	}
	if err := failpoint.Hit(ctx, FailAfterClaim); err != nil {
		return nil, err
	}
	now := e.deliverer.Clock.Now()
	for _, x := range claimed {
		e.deliverer.Metrics.expressAge.Observe(max(0, now.Sub(x.Delivery.CreatedAt).Seconds()))
	}
	return claimed, nil
}

// deliver makes one attempt. Success is recorded in a batch, everything else by itself.
func (e *Express) deliver(ctx context.Context, x postgres.Express) error {
	if x.Sealed != nil {
		e.deliverer.Logger.ErrorContext(ctx, "the express lane cannot send a delivery",
			slog.String("delivery_id", x.Delivery.ID.String()), slog.Any("error", x.Sealed))
		e.handOver(ctx, x)
		return nil
	}
	if x.Trace != "" {
		var span trace.Span
		ctx, span = traces.Start(traces.With(ctx, x.Trace), "express delivery")
		defer span.End()
	}
	out, ready, err := e.deliverer.prepare(ctx, x.Input(), x.Dispatch)
	var created sent
	if ready {
		created, err = e.deliverer.send(ctx, x.Dispatch)
	}
	switch done := (postgres.Delivered{Express: x, Attempt: created.attempt}); {
	case out.Done:
		e.settle(ctx, x)
	case created.verdict.State == webhook.Succeeded:
		e.delivered <- done
	case created.verdict.State != "":
		e.conclude(context.WithoutCancel(ctx), done, created.verdict)
	default: // no attempt was made
		e.report(ctx, "attempt", err)
		e.handOver(ctx, x)
	}
	return nil
}

// handOver leaves a delivery to Temporal. If that fails, Temporal gets it when its lease ends.
func (e *Express) handOver(ctx context.Context, x postgres.Express) {
	err := e.deliverer.Deliveries.HandOver(context.WithoutCancel(ctx), x)
	e.deliverer.Metrics.express.WithLabelValues(expressHandedOver).Inc()
	e.report(ctx, "hand over", err)
}

func (e *Express) settle(ctx context.Context, x postgres.Express) {
	err := e.deliverer.Deliveries.Settle(context.WithoutCancel(ctx), x)
	e.deliverer.Metrics.express.WithLabelValues(expressSettled).Inc()
	e.report(ctx, "settle", err)
}

// conclude records one attempt by itself. The workflow makes the retries.
func (e *Express) conclude(ctx context.Context, done postgres.Delivered, v postgres.Verdict) {
	d := e.deliverer
	recorded, err := persistently(ctx, func() (bool, error) { return d.Deliveries.Conclude(ctx, done, v) })
	if err != nil {
		e.report(ctx, "record", err) // the lease ends, and the workflow sends the event again
		return
	}
	d.Wake()
	outcome := expressHandedOver
	if recorded {
		d.report(ctx, done.Dispatch, done.Attempt, v)
		if v.State != webhook.Pending {
			outcome = expressSettled
		}
	}
	d.Metrics.express.WithLabelValues(outcome).Inc()
	e.report(ctx, FailAfterRecord, failpoint.Hit(ctx, FailAfterRecord))
}

// persistently repeats a record while the database is unavailable.
func persistently[T any](ctx context.Context, record func() (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, recordFor)
	defer cancel()
	return retry.Do(ctx, recordPauses, func(err error) bool { return apperr.Is(err, apperr.Unavailable) }, record)
}

// record records successful attempts in batches until the lane ends.
func (e *Express) record(ctx context.Context) {
	for first := range e.delivered {
		e.recordBatch(ctx, e.gather(first))
	}
}

// recordBatch records successful attempts in one statement, and each that it leaves by itself.
func (e *Express) recordBatch(ctx context.Context, batch []postgres.Delivered) {
	if err := failpoint.Hit(ctx, FailBeforeRecord); err != nil {
		e.report(ctx, FailBeforeRecord, err)
		return
	}
	var remaining []postgres.Delivered
	recorded, err := persistently(ctx, func() (recorded []postgres.Delivered, err error) {
		recorded, remaining, err = e.deliverer.Deliveries.RecordDelivered(ctx, batch)
		return recorded, err
	})
	if err != nil {
		e.report(ctx, "record", err)
		remaining = batch // one of them may be the reason
	}
	e.deliverer.Wake()
	succeeded := postgres.Verdict{State: webhook.Succeeded}
	for _, d := range recorded {
		e.deliverer.report(ctx, d.Dispatch, d.Attempt, succeeded)
	}
	e.deliverer.Metrics.express.WithLabelValues(expressSettled).Add(float64(len(recorded)))
	for _, d := range remaining {
		e.conclude(ctx, d, succeeded)
	}
	e.report(ctx, FailAfterRecord, failpoint.Hit(ctx, FailAfterRecord))
}

// gather returns a batch that begins with an attempt.
func (e *Express) gather(first postgres.Delivered) []postgres.Delivered {
	batch := []postgres.Delivered{first}
	end := time.After(expressGather)
	for len(batch) < expressBatch {
		select {
		case next, open := <-e.delivered:
			if !open {
				return batch
			}
			batch = append(batch, next)
		case <-end:
			return batch
		}
	}
	return batch
}
