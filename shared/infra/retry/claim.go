package retry

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// gather is the pause after a claim that found rows, so that a burst is claimed in batches.
	gather = 5 * time.Millisecond
	// burst is the time after such a claim for which further rows are expected.
	burst = 2 * time.Second
	// shares is the number of parts of the places. A workspace that holds one part gets no more, and a claim at most one.
	shares = 8
)

// Turn is the part of the places that one claim may use.
type Turn struct {
	Limit int               // rows
	Share int               // rows of each workspace
	Full  []ident.Workspace // those that get none, because they hold their share
}

// LoopConfig describes a loop over rows of type J.
type LoopConfig[J any] struct {
	Name string // in logs and metrics
	// Claim reserves free rows.
	Claim func(ctx context.Context, turn Turn) ([]J, error)
	// Handle handles one row and records the result. The row of a failed handler is claimed again after its lease.
	Handle func(ctx context.Context, job J) error
	// Workspace returns the workspace of a row.
	Workspace func(job J) ident.Workspace
	InFlight  int           // rows that are handled at the same time
	Batch     int           // the most rows of one claim
	Busy      time.Duration // the pause between claims that find nothing during a burst; Idle if zero
	Idle      time.Duration // the pause between other claims that find nothing
	Shutdown  time.Duration // in which handlers may finish on shutdown; zero: they are not interrupted
	Clock     clock.Clock
	Logger    *slog.Logger
	Metrics   *Metrics
}

// Loop claims and handles rows. It is safe for concurrent use, apart from Run, which runs once.
type Loop[J any] struct {
	LoopConfig[J]

	places chan struct{} // one for each row in flight
	woken  chan struct{}
	last   time.Time // when Run claimed rows last
	mu     sync.Mutex
	holds  map[ident.Workspace]int // places of each workspace
}

// NewLoop returns a loop, or an error if its configuration is incomplete.
func NewLoop[J any](cfg LoopConfig[J]) (*Loop[J], error) {
	if cfg.Name == "" || cfg.Claim == nil || cfg.Handle == nil || cfg.Workspace == nil || cfg.InFlight < 1 ||
		cfg.Batch < 1 || cfg.Idle <= 0 || cfg.Clock == nil || cfg.Logger == nil || cfg.Metrics == nil {
		return nil, errors.New("claim: every dependency and setting of a loop is required")
	}
	if cfg.Busy <= 0 {
		cfg.Busy = cfg.Idle
	}
	return &Loop[J]{
		LoopConfig: cfg, places: make(chan struct{}, cfg.InFlight), woken: make(chan struct{}, 1),
		holds: make(map[ident.Workspace]int),
	}, nil
}

// Wake reports that there may be rows. It never blocks.
func (l *Loop[J]) Wake() {
	select {
	case l.woken <- struct{}{}:
	default: // a wake-up is pending
	}
}

// Run claims and handles rows until the context is canceled, and then waits for the handlers in flight.
func (l *Loop[J]) Run(ctx context.Context) {
	handling, release := context.WithoutCancel(ctx), func() {}
	if l.Shutdown > 0 {
		handling, release = clock.Grace(ctx, l.Shutdown)
	}
	defer release()
	var handlers sync.WaitGroup
	defer handlers.Wait()
	for ctx.Err() == nil {
		claimed, err := l.claim(ctx)
		l.report(ctx, "claim", err)
		for _, job := range claimed {
			handlers.Go(func() { l.report(ctx, "handle", l.handle(handling, job)) })
		}
		l.pause(ctx, len(claimed))
	}
}

// pause waits for the next claim, after one of a number of rows.
func (l *Loop[J]) pause(ctx context.Context, claimed int) {
	woken, pause, now := l.woken, l.Idle, l.Clock.Now()
	switch {
	case claimed > 0:
		l.last, woken, pause = now, nil, gather
	case now.Sub(l.last) < burst:
		pause = l.Busy
	}
	select {
	case <-ctx.Done():
	case <-woken:
	case <-time.After(pause):
	}
}

// Round claims rows once, handles them side by side and returns what failed.
func (l *Loop[J]) Round(ctx context.Context) error {
	claimed, err := l.claim(ctx)
	failures := make([]error, len(claimed))
	var handlers sync.WaitGroup
	for i, job := range claimed {
		handlers.Go(func() { failures[i] = l.handle(ctx, job) })
	}
	handlers.Wait()
	return errors.Join(err, errors.Join(failures...))
}

// claim waits for a free place, claims a batch and occupies a place for each row.
func (l *Loop[J]) claim(ctx context.Context) ([]J, error) {
	select {
	case <-ctx.Done():
		return nil, nil
	case l.places <- struct{}{}:
		<-l.places
	}
	limit := min(l.Batch, cap(l.places)-len(l.places))
	claimed, err := l.Claim(ctx, Turn{Limit: limit, Share: l.share(), Full: l.full()})
	for _, job := range claimed {
		l.hold(l.Workspace(job), 1)
		l.places <- struct{}{}
	}
	l.Metrics.claimed.WithLabelValues(l.Name).Add(float64(len(claimed)))
	return claimed, err
}

func (l *Loop[J]) handle(ctx context.Context, job J) error {
	l.Metrics.inFlight.WithLabelValues(l.Name).Inc()
	defer func() {
		l.Metrics.inFlight.WithLabelValues(l.Name).Dec()
		l.hold(l.Workspace(job), -1)
		<-l.places
	}()
	return l.Handle(ctx, job)
}

func (l *Loop[J]) report(ctx context.Context, step string, err error) {
	if err != nil && ctx.Err() == nil {
		l.Logger.WarnContext(ctx, "a claim loop failed; will retry", slog.String("loop", l.Name), slog.String("step", step),
			slog.Any("error", err))
	}
}

// hold counts the places of a workspace.
func (l *Loop[J]) hold(id ident.Workspace, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holds[id] += n; l.holds[id] == 0 {
		delete(l.holds, id)
	}
}

// share returns the number of places with which a workspace gets no more.
func (l *Loop[J]) share() int { return max(1, cap(l.places)/shares) }

// full returns the workspaces that hold their share of the places.
func (l *Loop[J]) full() (full []ident.Workspace) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, n := range l.holds {
		if n >= l.share() {
			full = append(full, id)
		}
	}
	return full
}

// Metrics counts the rows of all loops of a process.
type Metrics struct {
	claimed  *prometheus.CounterVec
	inFlight *prometheus.GaugeVec
}

// NewMetrics returns Metrics registered with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	loop := []string{"loop"}
	m := &Metrics{
		claimed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "claims_total", Help: "Rows that a claim loop has claimed, by loop.",
		}, loop),
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "claims_in_flight", Help: "Claimed rows that are being handled, by loop.",
		}, loop),
	}
	reg.MustRegister(m.claimed, m.inFlight)
	return m
}
