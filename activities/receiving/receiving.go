// Package receiving makes messages, people and conversations of what networks reported, and keeps the networks reporting.
package receiving

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/platform"
)

// FailAfterApply is the crash point after a batch was applied.
const FailAfterApply = "receiving.after_apply"

const (
	// batch is the number of events of one transaction.
	batch = 200
	// readers is the number of transactions of a process at the same time.
	readers = 2
	// idle is the pause after a round that found less than a batch.
	idle = 250 * time.Millisecond
	// trouble is the pause while the database does not respond.
	trouble = 2 * time.Second
)

// Store stores what networks report; see postgres.Inbound.
type Store interface {
	Process(ctx context.Context, limit int, read func(inbox.Event) postgres.Reading) ([]postgres.InboundEvent, error)
	Failed(ctx context.Context, e postgres.InboundEvent, cause error, reader int) error
	Again(ctx context.Context, network channel.Network, reader int) error
}

// Config holds the dependencies of Receiving.
type Config struct {
	Store   Store
	Readers map[channel.Network]platform.Reader
	Clock   clock.Clock
	Logger  *slog.Logger
	Metrics *Metrics
}

// Receiving reads the events of all networks. It is safe for concurrent use, apart from Run, which runs once.
type Receiving struct{ Config }

// New returns a Receiving, or an error if a dependency is missing.
func New(cfg Config) (*Receiving, error) {
	if cfg.Store == nil || cfg.Clock == nil || cfg.Logger == nil || cfg.Metrics == nil {
		return nil, errors.New("receiving: every dependency is required")
	}
	return &Receiving{cfg}, nil
}

// Run reads events until the context is canceled.
func (r *Receiving) Run(ctx context.Context) {
	for network, reader := range r.Readers {
		if err := r.Store.Again(ctx, network, reader.Version()); err != nil && ctx.Err() == nil {
			r.Logger.WarnContext(ctx, "failed events are not read again", slog.String("network", string(network)), slog.Any("error", err))
		}
	}
	var running sync.WaitGroup
	for range readers {
		running.Go(func() { r.loop(ctx) })
	}
	running.Wait()
}

func (r *Receiving) loop(ctx context.Context) {
	for ctx.Err() == nil {
		taken, err := r.Round(ctx)
		pause := idle
		switch {
		case err != nil && ctx.Err() == nil:
			r.Logger.WarnContext(ctx, "the inbox is waiting for the database", slog.Any("error", err))
			pause = trouble
		case taken == batch:
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// Round reads a batch of events, and returns their number. If the database refuses the batch, it reads them one by one, so that
// one event holds up no other.
func (r *Receiving) Round(ctx context.Context) (int, error) {
	taken, err := r.process(ctx, batch)
	if err == nil || postgres.IsUnavailable(err) || ctx.Err() != nil {
		return len(taken), err
	}
	for range taken {
		one, err := r.process(ctx, 1)
		switch {
		case err == nil:
		case postgres.IsUnavailable(err) || ctx.Err() != nil || len(one) == 0:
			return 0, err
		default:
			version := 0
			if reader, known := r.Readers[one[0].Network]; known {
				version = reader.Version()
			}
			r.Logger.ErrorContext(ctx, "an event of a network was not applied", slog.Int64("event_id", one[0].ID),
				slog.String("network", string(one[0].Network)), slog.String("kind", one[0].Kind), slog.Any("error", err))
			if err := r.Store.Failed(ctx, one[0], err, version); err != nil {
				return 0, err
			}
		}
	}
	return len(taken), nil
}

func (r *Receiving) process(ctx context.Context, limit int) ([]postgres.InboundEvent, error) {
	taken, err := r.Store.Process(ctx, limit, r.read)
	if err == nil && len(taken) > 0 {
		err = failpoint.Hit(ctx, FailAfterApply)
		now := r.Clock.Now()
		for _, e := range taken {
			r.Metrics.delay.WithLabelValues(string(e.Network)).Observe(max(0, now.Sub(e.At).Seconds()))
		}
	}
	return taken, err
}

// read returns what an event says.
func (r *Receiving) read(e inbox.Event) (of postgres.Reading) {
	reader, known := r.Readers[e.Network]
	if !known {
		return postgres.Reading{Fault: fmt.Errorf("this version does not know events of %s", e.Network)}
	}
	of.Reader = reader.Version()
	of.Change, of.Fault = reader.Read(e)
	if of.Fault != nil {
		r.Metrics.failed.WithLabelValues(string(e.Network), e.Kind).Inc()
	}
	return of
}

// Metrics count what networks report.
type Metrics struct {
	delay  *prometheus.HistogramVec
	failed *prometheus.CounterVec
}

// NewMetrics returns Metrics registered with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		delay: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "inbox_delay_seconds", Help: "Time from the network's time of an event to its place in the inbox, by network.",
			Buckets: []float64{.1, .25, .5, 1, 1.5, 2.5, 5, 10, 30, 60, 300, 3600},
		}, []string{"network"}),
		failed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "inbound_failed_total", Help: "Readings of events that failed, by network and kind.",
		}, []string{"network", "kind"}),
	}
	reg.MustRegister(m.delay, m.failed)
	return m
}
