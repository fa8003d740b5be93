package unit_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/unit"
)

// fakeClock is constant until it is advanced. Each wait is sent to waits and ends when it is released.
type fakeClock struct {
	mu      sync.Mutex
	now     time.Time
	waits   chan time.Duration
	release chan time.Time
}

func newFakeClock() *fakeClock {
	return &fakeClock{now: time.Unix(0, 0), waits: make(chan time.Duration), release: make(chan time.Time)}
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *fakeClock) After(d time.Duration) <-chan time.Time {
	c.waits <- d
	return c.release
}

// fakeUnit crashes on request.
type fakeUnit struct {
	crashes chan error
	started chan struct{}

	mu    sync.Mutex
	state unit.State
	fails int
}

func newFakeUnit() *fakeUnit {
	return &fakeUnit{crashes: make(chan error), started: make(chan struct{}), state: unit.Running}
}

func (u *fakeUnit) Crashes() <-chan error { return u.crashes }

func (u *fakeUnit) Start(context.Context) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.fails > 0 {
		u.fails--
		return errNotYet
	}
	u.state = unit.Running
	u.started <- struct{}{}
	return nil
}

func (u *fakeUnit) Status() unit.Status {
	u.mu.Lock()
	defer u.mu.Unlock()
	return unit.Status{State: u.state}
}

func (u *fakeUnit) set(state unit.State) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.state = state
}

func (u *fakeUnit) crash() {
	u.set(unit.Crashed)
	u.crashes <- errNotYet
}

// keep runs Keep until the test ends, and checks that it then returns.
func keep(t *testing.T, kept *fakeUnit, clock *fakeClock) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		unit.Keep(ctx, kept, clock, func(string) {})
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
}

func TestKeepWaitsTwiceAsLongEachTime(t *testing.T) {
	t.Parallel()
	kept, clock := newFakeUnit(), newFakeClock()
	keep(t, kept, clock)
	for _, want := range []time.Duration{
		500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 15 * time.Second,
		15 * time.Second,
	} {
		kept.crash()
		require.Equal(t, want, <-clock.waits)
		clock.release <- time.Time{}
		<-kept.started
		clock.advance(29 * time.Second)
	}
}

func TestKeepStartsOverAfterAHealthyTime(t *testing.T) {
	t.Parallel()
	kept, clock := newFakeUnit(), newFakeClock()
	keep(t, kept, clock)
	for range 3 {
		kept.crash()
		require.Equal(t, 500*time.Millisecond, <-clock.waits)
		clock.release <- time.Time{}
		<-kept.started
		clock.advance(30 * time.Second)
	}
}

func TestKeepTriesAgainWhenAStartFails(t *testing.T) {
	t.Parallel()
	kept, clock := newFakeUnit(), newFakeClock()
	kept.fails = 2
	keep(t, kept, clock)
	kept.crash()
	for _, want := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second} {
		require.Equal(t, want, <-clock.waits)
		clock.release <- time.Time{}
	}
	<-kept.started
}

func TestKeepLeavesAloneWhatWasStoppedOnPurpose(t *testing.T) {
	t.Parallel()
	kept, clock := newFakeUnit(), newFakeClock()
	keep(t, kept, clock)
	kept.crash()
	<-clock.waits
	kept.set(unit.Stopped) // during the wait
	clock.release <- time.Time{}
	kept.crash() // received only after Keep waits for a crash again, without a start in between
	<-clock.waits
}
