package ratelimit

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"socialpub.internal/shared/kernel/clock"
)

const (
	leaseTimeout    = 200 * time.Millisecond
	giveBackTimeout = time.Second
	sweepEvery      = time.Second
	// maxSubjects bounds the memory; when it is reached, the limiter starts anew. What it forgets are leased tokens, which
	// nobody can use then, and which buckets are empty, which the store knows.
	maxSubjects = 10_000
)

// Config is what a limiter needs; every field is required.
type Config struct {
	Store  Store
	Clock  clock.Clock
	Logger *slog.Logger
}

// Limiter decides about requests. It is safe for concurrent use. Run must run beside it.
type Limiter struct {
	store  Store
	clock  clock.Clock
	log    *slog.Logger
	health health

	mu      sync.Mutex
	buckets map[string]*bucket
}

// New makes a limiter.
func New(cfg Config) (*Limiter, error) {
	if cfg.Store == nil || cfg.Clock == nil || cfg.Logger == nil {
		return nil, errors.New("ratelimit: Store, Clock and Logger are required")
	}
	return &Limiter{store: cfg.Store, clock: cfg.Clock, log: cfg.Logger, buckets: make(map[string]*bucket)}, nil
}

// Take decides about one request of the subject. Subject is what the limit is counted for, such as the id of a credential or an
// address: short, and with one limit at a time. Take waits for the store only when the process has no tokens of the subject, and
// then for 200 ms at most and together with the subject's other requests; it always decides.
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
	b, ok := l.buckets[subject]
	if !ok {
		if len(l.buckets) >= maxSubjects {
			clear(l.buckets)
		}
		b = new(bucket)
		l.buckets[strings.Clone(subject)] = b
	}
	return b
}

// ask leases a block. It is detached from the request: others wait for the same answer.
func (l *Limiter) ask(ctx context.Context, b *bucket, subject string, limit Limit, want int) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseTimeout)
	defer cancel()
	var answer *Lease
	asked := l.clock.Now()
	defer func() { b.answer(asked, l.clock, limit, want, answer) }() // whatever happens: others wait
	lease, err := l.store.Lease(ctx, subject, limit, want)
	l.heard(ctx, err)
	if err == nil {
		answer = &lease
	}
}

// heard notes whether the store answered, and logs when that changes.
func (l *Limiter) heard(ctx context.Context, err error) {
	if !l.health.report(err == nil, l.clock) {
		return
	}
	if err != nil {
		l.log.WarnContext(ctx, "the store of rate limits does not answer: each process limits by itself", slog.Any("error", err))
		return
	}
	l.log.InfoContext(ctx, "the store of rate limits answers again")
}

// Run sweeps once a second until the context ends; then it gives back all that is left.
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

// Sweep gives back the tokens of blocks that have become too old to be used, and forgets the buckets that are full.
func (l *Limiter) Sweep(ctx context.Context) { l.giveBack(ctx, l.collect(false)) }

func (l *Limiter) collect(all bool) []Unused {
	var unused []Unused
	l.mu.Lock()
	defer l.mu.Unlock()
	for subject, b := range l.buckets {
		tokens, idle := b.collect(l.clock, all)
		if tokens > 0 {
			unused = append(unused, Unused{Subject: subject, Tokens: tokens})
		}
		if idle {
			delete(l.buckets, subject)
		}
	}
	return unused
}

// giveBack tries once. Tokens that do not arrive come back by themselves in time; given back twice they would be too many.
func (l *Limiter) giveBack(ctx context.Context, unused []Unused) {
	if len(unused) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTimeout)
	defer cancel()
	l.heard(ctx, l.store.GiveBack(ctx, unused))
}
