package ratelimit

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/expirable"

	"fencepost.internal/shared/kernel/clock"
)

const (
	leaseTimeout    = 200 * time.Millisecond
	giveBackTimeout = time.Second
	sweepEvery      = time.Second
	// maxSubjects bounds the memory; when it is reached, the limiter discards the bucket that was not used for the longest
	// time. That loses its leased tokens, which can then no longer be used, and the knowledge that it is empty, which the
	// store has.
	maxSubjects = 10_000
)

// Config configures a limiter; every field is required.
type Config struct {
	Store  Store
	Clock  clock.Clock
	Logger *slog.Logger
}

// Limiter decides on requests. It is safe for concurrent use. Run must run alongside it.
type Limiter struct {
	store  Store
	clock  clock.Clock
	log    *slog.Logger
	health health

	mu      sync.Mutex // makes finding and adding a bucket one step
	buckets *expirable.LRU[string, *bucket]
}

// New returns a limiter.
func New(cfg Config) (*Limiter, error) {
	if cfg.Store == nil || cfg.Clock == nil || cfg.Logger == nil {
		return nil, errors.New("ratelimit: Store, Clock and Logger are required")
	}
	return &Limiter{
		store: cfg.Store, clock: cfg.Clock, log: cfg.Logger,
		buckets: expirable.NewLRU[string, *bucket](maxSubjects, nil, 0), // Sweep removes idle buckets
	}, nil
}

// Take decides on one request of the subject. The subject is the key of the limit, such as the ID of a credential or an
// address: short, and with one limit at a time. Take waits for the store only if the process has no tokens for the
// subject, and then for at most 200 ms and together with the subject's other requests. It always decides.
func (l *Limiter) Take(ctx context.Context, subject string, limit Limit) Decision {
	limit = limit.Bounded()
	b := l.bucket(subject)
	for {
		next := b.step(limit, l.clock, &l.health)
		switch {
		case next.want > 0:
			l.ask(ctx, b, subject, limit, next.want)
		case next.wait != nil:
			<-next.wait
		default:
			return next.decision
		}
	}
}

func (l *Limiter) bucket(subject string) *bucket {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.buckets.Get(subject)
	if !ok {
		b = new(bucket)
		l.buckets.Add(strings.Clone(subject), b)
	}
	return b
}

// ask leases a block. It is detached from the request's context, because other requests wait for the same response.
func (l *Limiter) ask(ctx context.Context, b *bucket, subject string, limit Limit, want int) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseTimeout)
	defer cancel()
	var response *Lease
	requested := l.clock.Now()
	defer func() { b.response(requested, l.clock, limit, want, response) }() // always, because other requests wait
	lease, err := l.store.Lease(ctx, subject, limit, want)
	l.reportHealth(ctx, err)
	if err == nil {
		response = &lease
	}
}

// reportHealth records whether the store responded, and logs changes.
func (l *Limiter) reportHealth(ctx context.Context, err error) {
	if !l.health.report(err == nil, l.clock) {
		return
	}
	if err != nil {
		l.log.WarnContext(ctx, "rate limit store unavailable: each process limits separately", slog.Any("error", err))
		return
	}
	l.log.InfoContext(ctx, "rate limit store recovered")
}

// Run sweeps once per second until the context ends, and then gives back all remaining tokens.
func (l *Limiter) Run(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			l.giveBack(ctx, l.collect(true))
			return
		case <-ticker.C:
			l.Sweep(ctx)
		}
	}
}

// Sweep gives back the tokens of expired blocks and removes the buckets that are full.
func (l *Limiter) Sweep(ctx context.Context) { l.giveBack(ctx, l.collect(false)) }

func (l *Limiter) collect(all bool) []Unused {
	var unused []Unused
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, subject := range l.buckets.Keys() {
		b, _ := l.buckets.Peek(subject) // as each change of the buckets holds the lock, it is there
		tokens, idle := b.collect(l.clock, all)
		if tokens > 0 {
			unused = append(unused, Unused{Subject: subject, Tokens: tokens})
		}
		if idle {
			l.buckets.Remove(subject)
		}
	}
	return unused
}

// giveBack tries only once. Tokens that do not arrive are regained over time; given back twice, they would be too many.
func (l *Limiter) giveBack(ctx context.Context, unused []Unused) {
	if len(unused) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTimeout)
	defer cancel()
	l.reportHealth(ctx, l.store.GiveBack(ctx, unused))
}
