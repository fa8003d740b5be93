package delivering

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"socialpub.internal/shared/domain/webhook"
	"socialpub.internal/shared/infra/postgres"
)

const (
	// expressBatch bounds the deliveries of one claim and the attempts of one record.
	expressBatch = 100
	// expressGather is the time for which a record waits for further attempts, so that a burst is recorded in batches.
	expressGather = 5 * time.Millisecond
	// recorders is the number of records in flight.
	recorders = 2
	// busyPoll and idlePoll are the pauses between two claims that found nothing, during a burst and otherwise. Messages
	// of other processes arrive without a wake-up.
	busyPoll = 50 * time.Millisecond
	idlePoll = time.Second
	// burst is the time after a claim for which the lane expects further deliveries.
	burst = 2 * time.Second
)

// Express is the express lane of webhook deliveries: it makes the first attempt of deliveries that Temporal has not
// taken in time, because of a burst or because it is down. Its places, signatures and records are those of Deliverer. A
// delivery that it does not settle gets its workflow: a failed one for its retries, one whose process died when its
// lease ends.
type Express struct {
	deliverer *Deliverer
	places    chan struct{} // one for each attempt in flight
	woken     chan struct{}
	delivered chan postgres.Delivered
}

// NewExpress returns a lane with a maximum number of attempts in flight. Without the lane's setting in the database
// configuration, it finds nothing.
func NewExpress(d *Deliverer, inFlight int) (*Express, error) {
	if d == nil || inFlight < 1 {
		return nil, errors.New("delivering: the express lane requires a deliverer and at least one place")
	}
	return &Express{
		deliverer: d, places: make(chan struct{}, inFlight), woken: make(chan struct{}, 1),
		delivered: make(chan postgres.Delivered, inFlight),
	}, nil
}

// Poke reports that deliveries may have been admitted. It never blocks, and does nothing on a nil lane.
func (e *Express) Poke() {
	if e == nil {
		return
	}
	select {
	case e.woken <- struct{}{}:
	default: // a wake-up is pending
	}
}

// Run sends deliveries until the context is canceled. It then starts no further attempt, and records those in flight.
func (e *Express) Run(ctx context.Context) {
	var attempts, records sync.WaitGroup
	for range recorders {
		records.Go(func() { e.record(context.WithoutCancel(ctx)) })
	}
	var last, reserved time.Time
	for ctx.Err() == nil {
		now := e.deliverer.Clock.Now()
		if now.Sub(reserved) >= idlePoll {
			reserved = now
			e.report(ctx, e.reserve(ctx))
		}
		claimed, err := e.claim(ctx, &attempts)
		e.report(ctx, err)
		if claimed > 0 {
			last = now
		}
		if claimed < expressBatch {
			e.pause(ctx, now.Sub(last) < burst)
		}
	}
	attempts.Wait()
	close(e.delivered)
	records.Wait()
}

func (e *Express) report(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		e.deliverer.Logger.WarnContext(ctx, "the express lane is waiting for the database", slog.Any("error", err))
	}
}

func (e *Express) pause(ctx context.Context, busy bool) {
	pause := idlePoll
	if busy {
		pause = busyPoll
	}
	select {
	case <-ctx.Done():
	case <-e.woken:
	case <-time.After(pause):
	}
}

func (e *Express) reserve(ctx context.Context) error {
	_, err := e.deliverer.Deliveries.Reserve(ctx)
	return err
}

// claim leases a batch and starts its attempts. It waits for a free place, and returns the number of deliveries.
func (e *Express) claim(ctx context.Context, attempts *sync.WaitGroup) (int, error) {
	select {
	case <-ctx.Done():
		return 0, nil
	case e.places <- struct{}{}:
		<-e.places
	}
	claimed, err := e.deliverer.Deliveries.Claim(ctx, min(expressBatch, cap(e.places)-len(e.places)))
	for _, x := range claimed {
		e.places <- struct{}{}
		attempts.Go(func() {
			defer func() { <-e.places }()
			e.deliver(ctx, x)
		})
	}
	return len(claimed), err
}

// deliver makes one attempt. Success is recorded in a batch, everything else by itself.
func (e *Express) deliver(ctx context.Context, x postgres.Express) {
	recording := context.WithoutCancel(ctx)
	if !x.Due || !x.Active || !x.Placed || x.Early > earliness {
		e.report(ctx, e.deliverer.Deliveries.HandOver(recording, x)) // its workflow ends or defers it
		return
	}
	made, err := e.deliverer.send(ctx, x.Dispatch)
	switch {
	case err != nil:
		e.report(ctx, e.deliverer.Deliveries.HandOver(recording, x))
	case made.verdict.State == webhook.Succeeded:
		e.delivered <- postgres.Delivered{Express: x, Attempt: made.attempt}
	default:
		e.report(ctx, e.recordOne(recording, x, made))
	}
}

// recordOne records one attempt. The workflow makes the retries.
func (e *Express) recordOne(ctx context.Context, x postgres.Express, made sent) error {
	d := e.deliverer
	recorded, err := d.Deliveries.Record(ctx, x.Dispatch, made.attempt, made.verdict)
	if err != nil {
		return err // the lease ends, and the workflow sends the event again
	}
	d.Poke()
	if recorded {
		d.report(ctx, x.Dispatch, made.attempt, made.verdict)
	}
	if recorded && made.verdict.State != webhook.Pending {
		return d.Deliveries.Settle(ctx, x)
	}
	return d.Deliveries.HandOver(ctx, x)
}

// record records successful attempts in batches until the lane ends.
func (e *Express) record(ctx context.Context) {
	for first := range e.delivered {
		batch := e.gather(first)
		recorded, left, err := e.deliverer.Deliveries.RecordDelivered(ctx, batch)
		if err != nil { // the batch collided with another transaction, or the database is down
			left = batch
		}
		for _, d := range left {
			made := sent{attempt: d.Attempt, verdict: postgres.Verdict{State: webhook.Succeeded}}
			e.report(ctx, e.recordOne(ctx, d.Express, made))
		}
		e.deliverer.Poke()
		for _, d := range recorded {
			e.deliverer.report(ctx, d.Dispatch, d.Attempt, postgres.Verdict{State: webhook.Succeeded})
		}
	}
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
