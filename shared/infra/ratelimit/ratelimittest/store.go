// Package ratelimittest contains an in-memory rate limit store for tests, and the suite that every store must pass.
package ratelimittest

import (
	"context"
	"sync"
	"time"

	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/kernel/clock"
)

var _ ratelimit.Store = (*Store)(nil)

// Store keeps buckets in memory. It is safe for concurrent use.
type Store struct {
	clock clock.Clock

	mu      sync.Mutex
	err     error
	buckets map[string]bucket
	calls   int
}

// bucket holds the parts that a bucket lacked at an instant.
type bucket struct {
	lacking int64
	at      time.Time
}

// New returns a store without buckets.
func New(clk clock.Clock) *Store { return &Store{clock: clk, buckets: make(map[string]bucket)} }

// Fail makes every call return the error, until Fail(nil).
func (s *Store) Fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// Calls returns the number of calls, including failed ones.
func (s *Store) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// Lease implements ratelimit.Store.
func (s *Store) Lease(_ context.Context, subject string, limit ratelimit.Limit, want int) (ratelimit.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.err != nil {
		return ratelimit.Lease{}, s.err
	}
	now := s.clock.Now().Truncate(time.Microsecond)
	b := s.buckets[subject]
	lacking := limit.Regain(b.lacking, now.Sub(b.at))
	granted := min(want, limit.Tokens(lacking))
	lacking += int64(granted) * ratelimit.TokenParts
	s.buckets[subject] = bucket{lacking, now}
	return ratelimit.Lease{Granted: granted, Lacking: lacking}, nil
}

// GiveBack implements ratelimit.Store.
func (s *Store) GiveBack(_ context.Context, unused []ratelimit.Unused) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.err != nil {
		return s.err
	}
	for _, u := range unused {
		if b, known := s.buckets[u.Subject]; known {
			b.lacking = max(0, b.lacking-int64(u.Tokens)*ratelimit.TokenParts)
			s.buckets[u.Subject] = b
		}
	}
	return nil
}
