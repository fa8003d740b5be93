package relay

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/api/serviceerror"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/failpoint"
)

const (
	// urgentTarget and patientTarget are the latencies of Temporal above which a lane lowers its calls in flight. The
	// patient lane yields at a latency at which due posts are still on time.
	urgentTarget  = 500 * time.Millisecond
	patientTarget = 100 * time.Millisecond
	// roundTrips bounds a batch: it has about as many messages as this number of calls, one after another, can send. A
	// batch keeps its rows locked in one transaction.
	roundTrips = 4
	minBatch   = 20
	// lateRetry is the time after which a message of an outage is sent again, and a delivery that Temporal did not take in
	// time, unless an express lane takes it first.
	lateRetry = 2 * time.Second
	// doubtfulTries is the number of tries after which an error of an outage is taken as one about the message, which is
	// sent again after doubtfulPause. The pause is short, because the outage may be a long one.
	doubtfulTries = 4
	doubtfulPause = 15 * time.Second
	// roundTime is the time after which a batch starts no further calls.
	roundTime = 5 * time.Second
)

// lane delivers one part of the outbox, with calls in flight of its own: messages that are due never wait for messages
// that may wait. Several carriers take batches, so that the lane does not wait for the slowest call of a batch.
type lane struct {
	name     string
	of       postgres.Lane
	carriers int
	limiter  *limiter
	woken    chan struct{} // has a token if one carrier should look for messages
	outages  atomic.Int64  // number of times that Temporal was found unreachable
	failures atomic.Int64  // number of calls in a row that found it so
}

// errOutage ends a batch during which another carrier of the lane found Temporal unreachable.
var errOutage = errors.New("another call found Temporal unreachable")

// leastConnections is the size of the smallest pool that serves a relay: while Temporal does not respond, each lane holds
// a connection for up to the length of a call, and two are left to the program and the other loops.
const leastConnections = 6

// newLanes returns the lanes for a database pool of the given size; zero means a large one. Each carrier holds a connection
// during its calls. The carriers hold at most half of the pool, but each lane has one.
func newLanes(connections int) []*lane {
	lanes := []*lane{
		{name: laneUrgent, of: postgres.LaneUrgent, carriers: 3, limiter: newLimiter(urgentTarget)},
		{name: laneFirst, of: postgres.LaneFirst, carriers: 2, limiter: newLimiter(urgentTarget)},
		{name: laneDeliveries, of: postgres.LaneDeliveries, carriers: 2, limiter: newLimiter(urgentTarget)},
		{name: lanePatient, of: postgres.LanePatient, carriers: 2, limiter: newLimiter(patientTarget)},
	}
	total := 0
	for _, l := range lanes {
		l.woken = make(chan struct{}, 1)
		total += l.carriers
	}
	for most := 2; most > 0 && connections > 0 && total > connections/2; most-- {
		total = 0
		for _, l := range lanes {
			l.carriers = min(l.carriers, most)
			total += l.carriers
		}
	}
	return lanes
}

// wakeLanes reports to the lanes that the outbox has new messages.
func (r *Relay) wakeLanes() {
	for _, l := range r.lanes {
		wake(l.woken)
	}
}

// batch returns the maximum number of messages of the next batch.
func (l *lane) batch() int { return min(batchSize, max(minBatch, roundTrips*l.limiter.allowed())) }

// run runs the carriers of the lane until the context is canceled. Together they look for messages once per tick.
func (l *lane) run(ctx context.Context, r *Relay) {
	var carriers sync.WaitGroup
	for i := range l.carriers {
		carriers.Go(func() {
			if sleep(ctx, time.Duration(i)*tick) {
				r.loop(ctx, l.name, time.Duration(l.carriers)*tick, l.woken,
					func(ctx context.Context) error { return r.carry(ctx, l) })
			}
		})
	}
	carriers.Wait()
}

// carry delivers the messages of a lane to Temporal until none are left.
//
// On shutdown it starts no new calls but waits for those in flight. A workflow that was started with its first task for
// this process would otherwise wait until that task times out.
func (r *Relay) carry(ctx context.Context, l *lane) error {
	finishing, release := clock.Grace(ctx, shutdownTimeout)
	defer release()
	for {
		if err := r.checkSignals(finishing); err != nil {
			return err
		}
		limit := l.batch()
		var down error
		taken, err := r.Outbox.Batch(finishing, l.of, limit,
			func(messages []postgres.Message) ([]int64, map[int64]postgres.Retry) {
				if len(messages) >= limit {
					wake(l.woken) // another carrier takes the next batch
				}
				if down = failpoint.Hit(ctx, FailBeforeStart); down != nil {
					return nil, nil
				}
				result := r.send(finishing, ctx, l, messages)
				if down = result.outage(); down == nil {
					down = failpoint.Hit(ctx, FailBeforeDelete)
				}
				return result.done, result.failed
			})
		if err = errors.Join(err, down); err != nil {
			return err
		}
		if taken < limit || ctx.Err() != nil {
			return nil
		}
	}
}

// sent is the result of a batch. Messages that are neither done nor failed stay in the outbox unchanged.
type sent struct {
	mu     sync.Mutex
	done   []int64
	failed map[int64]postgres.Retry
	slow   error // the last call without a response in time
	down   error // Temporal is unreachable
	doubts []doubt
}

// doubt is a call whose error is one of an outage, or concerns its message alone.
type doubt struct {
	message postgres.Message
	err     error
}

// settle decides what the doubtful errors mean. The messages are no longer first in their lane, so that one that Temporal
// never takes delays no other: in an outage they are sent again soon, and else as messages that Temporal rejected.
func (r *Relay) settle(ctx context.Context, s *sent, outage bool) {
	for _, d := range s.doubts {
		switch {
		case !outage:
			s.failed[d.message.ID] = r.later(ctx, d.message, d.err)
		case d.message.Tries >= doubtfulTries:
			s.failed[d.message.ID] = postgres.Retry{After: doubtfulPause, Cause: d.err.Error()}
		default:
			s.failed[d.message.ID] = postgres.Retry{After: lateRetry, Cause: d.err.Error()}
			s.down = d.err
		}
	}
}

// outage returns the error if Temporal is unreachable, or responded to no call of the batch in time. Some slow calls
// are no outage: their messages are sent again, with fewer calls in flight.
func (s *sent) outage() error {
	if s.down == nil && len(s.done) == 0 && len(s.failed) == 0 {
		return s.slow
	}
	return s.down
}

// send delivers the messages concurrently. It starts no further call after an outage, after roundTime, or when the
// process is stopping.
func (r *Relay) send(ctx, process context.Context, l *lane, messages []postgres.Message) *sent {
	result := &sent{failed: make(map[int64]postgres.Retry)}
	var work sync.WaitGroup
	end, outages := r.Clock.Now().Add(roundTime), l.outages.Load()
	for _, m := range messages {
		if l.limiter.acquire(process) != nil {
			break
		}
		outage := l.outages.Load() != outages
		if outage || r.Clock.Now().After(end) {
			l.limiter.cancel()
			result.stop(outage)
			break
		}
		work.Go(func() {
			begin := r.Clock.Now()
			err := r.deliver(ctx, m)
			r.record(ctx, result, m, err)
			l.note(r.deferToExpress(m, err), m.Tries, err)
			l.limiter.release(r.Clock.Now().Sub(begin), overloaded(err))
		})
	}
	work.Wait()
	r.settle(ctx, result, l.outages.Load() != outages)
	return result
}

// note counts the calls that found Temporal unreachable. Two in a row are an outage: one may concern its message alone, as
// those of a message that failed often probably do.
// The caller has not released the call, so that no further one starts in an outage.
func (l *lane) note(deferred bool, tries int, err error) {
	switch {
	case err == nil:
		l.failures.Store(0)
	case deferred, tries < doubtfulTries && unreachable(err) && l.failures.Add(1) > 1:
		l.outages.Add(1)
	}
}

// stop ends the batch early.
func (s *sent) stop(outage bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if outage && s.down == nil {
		s.down = errOutage
	}
}

// record adds the result of a call.
func (r *Relay) record(ctx context.Context, result *sent, m postgres.Message, err error) {
	result.mu.Lock()
	defer result.mu.Unlock()
	switch {
	case err == nil:
		result.done = append(result.done, m.ID)
	case errors.Is(err, errUnreadable):
		result.failed[m.ID] = r.aside(ctx, m, err)
	case r.deferToExpress(m, err):
		result.failed[m.ID] = postgres.Retry{After: lateRetry, Cause: err.Error()}
	case overloaded(err):
		result.slow = err
	case errors.Is(err, context.Canceled): // the process ends
		result.down = err
	case unreachable(err):
		result.doubts = append(result.doubts, doubt{m, err})
	default:
		result.failed[m.ID] = r.later(ctx, m, err)
	}
}

// deferrable reports whether an express lane takes the delivery if Temporal does not.
func (r *Relay) deferrable(m postgres.Message) bool {
	return r.Late > 0 && m.Kind == flow.KindDelivery && !m.Swept && m.Tries == 0
}

// deferToExpress reports whether Temporal did not take a delivery in time, which an express lane takes now.
func (r *Relay) deferToExpress(m postgres.Message, err error) bool {
	return r.deferrable(m) && (overloaded(err) || unreachable(err))
}

// later schedules the retry of a message that Temporal rejected, so that it does not block other messages.
func (r *Relay) later(ctx context.Context, m postgres.Message, err error) postgres.Retry {
	const limit = 6
	r.Logger.ErrorContext(ctx, "Temporal rejected a message; will retry", slog.Int64("outbox_id", m.ID),
		slog.Int("tries", m.Tries), slog.Any("error", err))
	return postgres.Retry{After: time.Second << min(m.Tries, limit), Cause: err.Error()}
}

// aside keeps a message that this version cannot read until another version takes it.
func (r *Relay) aside(ctx context.Context, m postgres.Message, err error) postgres.Retry {
	const pause = time.Minute
	r.Metrics.unreadable.Inc()
	r.Logger.ErrorContext(ctx, "this version cannot read a message; keeps it", slog.Int64("outbox_id", m.ID),
		slog.Int("tries", m.Tries), slog.Any("error", err))
	return postgres.Retry{After: pause, Cause: err.Error()}
}

// overloaded reports whether Temporal is slow or refuses calls because of its load.
func overloaded(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || isA[*serviceerror.DeadlineExceeded](err) ||
		isA[*serviceerror.ResourceExhausted](err)
}
