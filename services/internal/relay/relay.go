// Package relay delivers committed database rows to Temporal: it fans events out to deliveries, admits deliveries to
// their endpoints, starts and signals workflows for outbox rows, and enqueues missed work again (the sweep).
//
// Any number of relays may run, in any process: rows are read with SKIP LOCKED, and workflow ids are derived from the
// rows, so that delivering a row twice changes nothing. No loop ends because a dependency is down; it backs off and
// continues.
package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/client"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/failpoint"
)

// The crash points of the relay. A test kills the process at each of them.
const (
	FailAfterFanOut  = "relay.after_fan_out"
	FailAfterAdmit   = "relay.after_admit"
	FailBeforeStart  = "relay.before_start"
	FailBeforeDelete = "relay.before_delete"
)

const (
	batchSize   = 200
	callTimeout = 10 * time.Second
	tick        = time.Second // maximum delay of a row from another process
	// gather is the pause of a loop after a round. Under load, rows committed meanwhile join one batch. An idle loop
	// handles the first poke at once.
	gather = 20 * time.Millisecond
	// shutdownTimeout is the time limit for calls in flight on shutdown.
	shutdownTimeout = 3 * time.Second
)

// failures are the pauses of a loop whose dependency is down.
var failures = retry.Pauses{First: 250 * time.Millisecond, Longest: 5 * time.Second}

// OutboxStore holds the messages for Temporal; see postgres.Outbox.
type OutboxStore interface {
	Batch(
		ctx context.Context, lane postgres.Lane, limit int, fn func([]postgres.Message) (done []int64, failed map[int64]postgres.Retry),
	) (int, error)
	Depth(ctx context.Context) (postgres.Depth, error)
	EnqueueOverdue(ctx context.Context, grace time.Duration, limit int) (int, error)
	EnqueueNear(ctx context.Context, limit int) (int, error)
	SeenStore(ctx context.Context, namespace, id string) (changed bool, err error)
	NamedSignals(ctx context.Context) (bool, error)
}

// EventStore numbers events and creates their deliveries; see postgres.Events.
type EventStore interface {
	FanOut(ctx context.Context, limit int) (handled, queued int, err error)
}

// QueueStore admits deliveries to their endpoints; see postgres.Deliveries.
type QueueStore interface {
	Admit(ctx context.Context) (int, error)
	InLine(ctx context.Context) (int, error)
}

// ScheduleStore enqueues changes of schedules; see postgres.Insights.
type ScheduleStore interface {
	EnqueueSchedules(ctx context.Context, silence time.Duration, limit int) (int, error)
}

// Config holds the dependencies of a relay.
type Config struct {
	Outbox    OutboxStore
	Events    EventStore
	Queues    QueueStore
	Insights  ScheduleStore // nil: the sweep of this process ignores schedules
	Renewals  RenewalStore  // nil: the sweep of this process ignores renewals
	Temporal  client.Client
	Namespace string
	Clock     clock.Clock
	Logger    *slog.Logger
	Metrics   *Metrics
	Sweep     time.Duration // interval of the sweep; zero leaves it to other processes
	Grace     time.Duration // how long work may be overdue before the sweep enqueues it
	Admitted  func()        // reports that deliveries were admitted; nil: to nothing else in this process
	// Connections is the size of the database pool, which bounds the calls to Temporal that hold a connection; zero: no
	// bound.
	Connections int
	// Late is the time limit of the first call for a delivery, after which an express lane takes it; zero: that of all
	// calls.
	Late time.Duration
}

// Relay delivers rows to Temporal while Run runs.
type Relay struct {
	Config
	events chan struct{}
	queues chan struct{}
	lanes  []*lane
	kinds  map[string]flow.Kind // of messages that start a workflow

	renewalsIn string // the store of Temporal that has the schedule of renewals; used by the sweep alone

	named     atomic.Bool // plans are sent under the named signals
	checking  sync.Mutex
	signalsAt time.Time // time of the last read of the connected programs; guarded by checking
}

// New returns a relay.
func New(cfg Config) (*Relay, error) {
	if cfg.Outbox == nil || cfg.Events == nil || cfg.Queues == nil || cfg.Temporal == nil || cfg.Clock == nil ||
		cfg.Logger == nil || cfg.Metrics == nil || cfg.Namespace == "" {
		return nil, errors.New("relay: every dependency is required")
	}
	if cfg.Connections != 0 && cfg.Connections < leastConnections {
		return nil, fmt.Errorf("DB_MAX_CONNS is %d, but this program needs at least %d: it sends messages to Temporal, "+
			"and holds up to 4 connections while Temporal does not respond", cfg.Connections, leastConnections)
	}
	starts := make(map[string]flow.Kind)
	for _, kind := range postgres.Kinds() {
		if kind.Start != nil {
			starts[kind.Name] = kind
		}
	}
	return &Relay{
		Config: cfg, events: make(chan struct{}, 1), queues: make(chan struct{}, 1), lanes: newLanes(cfg.Connections),
		kinds: starts,
	}, nil
}

// Wake reports to the relay that a transaction with an event or a message has committed. It never blocks.
func (r *Relay) Wake(what Wake) {
	if what&Events != 0 {
		wake(r.events)
	}
	if what&Queues != 0 {
		wake(r.queues)
	}
	if what&Messages != 0 {
		r.wakeLanes()
	}
}

// Wake is a set of row kinds that a transaction left for the relay.
type Wake int

// The kinds of rows.
const (
	Events   Wake = 1 << iota // rows of event
	Messages                  // rows of outbox
	Queues                    // waiting deliveries, or a free place at an endpoint
)

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // a wake-up is pending
	}
}

// Run delivers rows until the context is canceled.
func (r *Relay) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { r.loop(ctx, loopEvents, tick, r.events, r.fanOut) })
	loops.Go(func() { r.loop(ctx, loopQueues, tick, r.queues, r.admit) })
	for _, l := range r.lanes {
		loops.Go(func() { l.run(ctx, r) })
	}
	if r.Sweep > 0 {
		loops.Go(func() { r.loop(ctx, loopSweep, r.Sweep, nil, r.sweep) })
	}
	loops.Wait()
}

// The names of the loops, in metrics and the log.
const (
	loopEvents = "events"
	loopQueues = "queues"
	loopSweep  = "sweep"

	laneUrgent     = "urgent"
	laneFirst      = "first"
	laneDeliveries = "deliveries"
	lanePatient    = "patient"
)

// loop calls work when woken and at least once per interval, and backs off while it fails.
func (r *Relay) loop(
	ctx context.Context, name string, interval time.Duration, woken <-chan struct{}, work func(context.Context) error,
) {
	pauses := failures.Start()
	for ctx.Err() == nil {
		if err := work(ctx); err != nil && ctx.Err() == nil {
			pause := pauses.NextBackOff()
			r.Metrics.failures.WithLabelValues(name).Inc()
			r.Logger.WarnContext(ctx, "relay is waiting for a dependency", slog.String("loop", name),
				slog.Duration("pause", pause), slog.Any("error", err))
			if !sleep(ctx, pause) {
				return
			}
			continue
		}
		pauses.Reset()
		if woken != nil && !sleep(ctx, gather) {
			return
		}
		select {
		case <-ctx.Done():
		case <-woken:
		case <-time.After(interval):
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// fanOut numbers committed events and creates their deliveries, until none are left.
func (r *Relay) fanOut(ctx context.Context) error {
	for {
		handled, queued, err := r.Events.FanOut(ctx, batchSize)
		if err != nil {
			return err
		}
		if queued > 0 {
			wake(r.queues)
		}
		if handled > 0 {
			if err := failpoint.Hit(ctx, FailAfterFanOut); err != nil {
				return err
			}
		}
		if handled < batchSize {
			return nil
		}
	}
}

// admit assigns the free places of endpoints to waiting deliveries.
func (r *Relay) admit(ctx context.Context) error {
	admitted, err := r.Queues.Admit(ctx)
	if err != nil || admitted == 0 {
		return err
	}
	if err := failpoint.Hit(ctx, FailAfterAdmit); err != nil {
		return err
	}
	r.wakeLanes()
	if r.Admitted != nil {
		r.Admitted()
	}
	return nil
}
