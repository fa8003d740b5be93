// Package clocktest provides a clock for tests that changes only when the test sets it. It is apart from package clock, so
// that no program contains it.
package clocktest

import (
	"sync"
	"time"

	"fencepost.internal/shared/kernel/clock"
)

var _ clock.Clock = (*Fake)(nil)

// Fake is a clock controlled by the test. It is safe for concurrent use.
type Fake struct {
	mu  sync.RWMutex
	now time.Time
}

// New returns a clock set to the given instant.
func New(now time.Time) *Fake { return &Fake{now: now.UTC()} }

// Now returns the instant to which the clock is set, in UTC.
func (f *Fake) Now() time.Time {
	f.mu.RLock()
	defer f.mu.RUnlock()

	return f.now
}

// Advance moves the clock by d, backwards if d is negative, and returns the new instant.
func (f *Fake) Advance(d time.Duration) time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.now = f.now.Add(d)

	return f.now
}

// Set sets the clock to the given instant.
func (f *Fake) Set(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.now = now.UTC()
}
