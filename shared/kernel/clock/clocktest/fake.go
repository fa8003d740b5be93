// Package clocktest has the clock of tests: it stands still until the test moves it.
package clocktest

import (
	"sync"
	"time"

	"socialpub.internal/shared/kernel/clock"
)

var _ clock.Clock = (*Fake)(nil)

// Fake is a clock that only the test moves. It is safe for concurrent use.
type Fake struct {
	mu  sync.RWMutex
	now time.Time
}

// New returns a clock that stands at the given instant.
func New(now time.Time) *Fake { return &Fake{now: now.UTC()} }

// Now returns the instant the clock stands at, in UTC.
func (f *Fake) Now() time.Time {
	f.mu.RLock()
	defer f.mu.RUnlock()

	return f.now
}

// Advance moves the clock by d, backwards when d is negative, and returns the new instant.
func (f *Fake) Advance(d time.Duration) time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.now = f.now.Add(d)

	return f.now
}

// Set moves the clock to the given instant.
func (f *Fake) Set(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.now = now.UTC()
}
