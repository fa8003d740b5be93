package process_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/process"
)

// fakeUnit crashes on request and records when it is started.
type fakeUnit struct {
	crashes  chan error
	state    process.State
	failures int             // of the next starts
	started  []time.Duration // after the last crash
	crashed  time.Time
}

func (u *fakeUnit) Name() string           { return "server" }
func (u *fakeUnit) Crashes() <-chan error  { return u.crashes }
func (u *fakeUnit) Status() process.Status { return process.Status{State: u.state} }

func (u *fakeUnit) Launch(context.Context) error {
	u.started = append(u.started, time.Since(u.crashed))
	if u.failures > 0 {
		u.failures--
		return errNotYet
	}
	u.state = process.Running
	return nil
}

// crash makes the unit crash, and waits.
func (u *fakeUnit) crash(wait time.Duration) {
	u.state, u.crashed = process.Crashed, time.Now()
	u.crashes <- errNotYet
	<-time.After(wait)
}

// keep keeps a unit in a bubble of fake time.
func keep(t *testing.T, test func(t *testing.T, u *fakeUnit)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		u := &fakeUnit{crashes: make(chan error, 1), state: process.Running}
		ctx, cancel := context.WithCancel(t.Context())
		go process.Keep(ctx, u, func(string) {})
		test(t, u)
		cancel()
		synctest.Wait()
	})
}

func TestKeepDoublesDelay(t *testing.T) {
	t.Parallel()
	keep(t, func(t *testing.T, u *fakeUnit) {
		t.Helper()
		for range 7 {
			u.crash(29 * time.Second)
		}
		require.Equal(t, []time.Duration{
			500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 15 * time.Second,
			15 * time.Second,
		}, u.started)
	})
}

func TestKeepResetsDelayOfHealthyUnit(t *testing.T) {
	t.Parallel()
	keep(t, func(t *testing.T, u *fakeUnit) {
		t.Helper()
		for range 3 {
			u.crash(31 * time.Second)
		}
		require.Equal(t, []time.Duration{500 * time.Millisecond, 500 * time.Millisecond, 500 * time.Millisecond}, u.started)
	})
}

func TestKeepRetriesFailedStart(t *testing.T) {
	t.Parallel()
	keep(t, func(t *testing.T, u *fakeUnit) {
		t.Helper()
		u.failures = 2
		u.crash(time.Minute)
		require.Equal(t, []time.Duration{
			500 * time.Millisecond, 1500 * time.Millisecond, 3500 * time.Millisecond,
		}, u.started)
		require.Equal(t, process.Running, u.state)
	})
}

func TestKeepLeavesStoppedUnitAlone(t *testing.T) {
	t.Parallel()
	keep(t, func(t *testing.T, u *fakeUnit) {
		t.Helper()
		u.crash(100 * time.Millisecond)
		u.state = process.Stopped // during the delay
		<-time.After(time.Minute)
		require.Empty(t, u.started)
		u.crash(time.Minute)
		require.Len(t, u.started, 1, "a later crash is handled")
	})
}
