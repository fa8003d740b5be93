// Package requestlog keeps the log of the requests of API keys and programs (docs/reference/request-log.md).
//
// A request only adds an entry in memory. Every second the entries are written together. The number of entries in memory is
// bounded: while the database is unavailable, further entries are dropped and counted.
package requestlog

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

const (
	every        = time.Second
	batchSize    = 1_000
	storeTimeout = 5 * time.Second
	// maxWaiting bounds the entries in memory, of about half a kilobyte each.
	maxWaiting = 20_000
	// maxLimited bounds the entries of one credential between two batches for requests that its rate limit refused. Any
	// number of them is possible.
	maxLimited = 10
	// maxTries bounds how often a batch is sent that the database refuses.
	maxTries = 3
)

// Reasons for which entries are dropped.
const (
	reasonFull    = "full"    // too many entries wait for the database
	reasonLimited = "limited" // too many requests of a credential were refused by its rate limit
	reasonRefused = "refused" // the database refused the batch
)

// Store stores entries.
type Store interface {
	// Add stores a batch once, even if it is sent several times.
	Add(ctx context.Context, batch []credential.Request) error
}

// Config holds the dependencies of a log. All are required.
type Config struct {
	Store      Store
	Logger     *slog.Logger
	Registerer prometheus.Registerer
}

// Log is safe for concurrent use.
type Log struct {
	config  Config
	written prometheus.Counter
	dropped *prometheus.CounterVec

	mu      sync.Mutex
	waiting []credential.Request
	sending int                      // entries that Flush took and has not written
	limited map[ident.Credential]int // entries of refused requests since the last batch

	flushing sync.Mutex
	pending  []credential.Request
	tries    int // to write the first batch of pending
}

// New returns an empty log.
func New(cfg Config) (*Log, error) {
	if cfg.Store == nil || cfg.Logger == nil || cfg.Registerer == nil {
		return nil, errors.New("requestlog: every dependency is required")
	}
	l := &Log{
		config: cfg, limited: map[ident.Credential]int{},
		written: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "request_log_written_total", Help: "Requests of credentials that were written to their log.",
		}),
		dropped: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "request_log_dropped_total",
			Help: "Requests of credentials that are missing in their log, by reason: full, limited or refused.",
		}, []string{"reason"}),
	}
	for _, reason := range []string{reasonFull, reasonLimited, reasonRefused} {
		l.dropped.WithLabelValues(reason)
	}
	return l, errors.Join(cfg.Registerer.Register(l.written), cfg.Registerer.Register(l.dropped))
}

// Add adds an entry. It never waits for the database.
func (l *Log) Add(r credential.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Code == string(apperr.RateLimited) {
		if l.limited[r.Credential]++; l.limited[r.Credential] > maxLimited {
			l.dropped.WithLabelValues(reasonLimited).Inc()
			return
		}
	}
	if len(l.waiting)+l.sending >= maxWaiting {
		l.dropped.WithLabelValues(reasonFull).Inc()
		return
	}
	r.ID = ident.New[ident.Request]()
	l.waiting = append(l.waiting, r)
}

// Run writes entries until the context ends, and then the remaining ones.
func (l *Log) Run(ctx context.Context) {
	retry.Every(ctx, every, l.Flush, func(err error) {
		l.config.Logger.WarnContext(ctx, "the log of requests waits for the database", slog.Any("error", err))
	})
	last := context.WithoutCancel(ctx)
	if err := l.Flush(last); err != nil {
		l.config.Logger.ErrorContext(last, "the last entries of the log of requests are lost", slog.Any("error", err))
	}
}

// Flush writes the entries. After an error, the entries that were not written are sent again by the next call.
func (l *Log) Flush(ctx context.Context) error {
	l.flushing.Lock()
	defer l.flushing.Unlock()
	l.mu.Lock()
	l.pending = append(l.pending, l.waiting...)
	l.waiting, l.sending = nil, len(l.pending)
	clear(l.limited)
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	for len(l.pending) > 0 {
		n := min(len(l.pending), batchSize)
		err := l.config.Store.Add(ctx, l.pending[:n])
		if l.tries++; err != nil && (l.tries < maxTries || apperr.Is(err, apperr.Unavailable) || ctx.Err() != nil) {
			return err
		}
		if err == nil {
			l.written.Add(float64(n))
		} else {
			l.dropped.WithLabelValues(reasonRefused).Add(float64(n))
			l.config.Logger.ErrorContext(ctx, "entries of the log of requests are lost", slog.Any("error", err))
		}
		l.pending, l.tries = l.pending[n:], 0
		l.mu.Lock()
		l.sending = len(l.pending)
		l.mu.Unlock()
	}
	l.pending = nil // releases the memory
	return nil
}
