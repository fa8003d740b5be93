package relay_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/relay"
)

// sweeping returns a relay that sweeps every minute.
func sweeping(t *testing.T) *bundle {
	t.Helper()
	b := setup(t)
	b.Sweep, b.Grace = time.Minute, 90*time.Second
	return b
}

func TestSweepReportsOutboxDepth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := sweeping(t)
		b.outbox.depth, b.outbox.oldest, b.queues.waiting = 7, 3*time.Second, 0
		b.outbox.overdue = 5
		b.runFor(t, time.Minute+time.Second)
		require.InDelta(t, 7, b.metric(t, "outbox_depth"), 0)
		require.InDelta(t, 3, b.metric(t, "outbox_oldest_seconds"), 0)
		require.InDelta(t, 8, b.metric(t, "outbox_patient"), 0)
		require.Zero(t, b.metric(t, "sweep_found_total"), "late is not lost")
		require.Equal(t, 90*time.Second, b.outbox.grace)
		require.Equal(t, 200, b.outbox.limit)
		require.Equal(t, []string{"test/store-1", "test/store-1"}, b.outbox.stores, "a round each minute")
		require.Len(t, b.insights.rounds, 2)
		require.Equal(t, time.Minute, b.insights.rounds[1].Sub(b.insights.rounds[0]), "without a rest after the round")
	})
}

func TestSweepReportsWaitingDeliveries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := sweeping(t)
		b.queues.waiting = 4
		b.queues.keeps = true
		b.runFor(t, time.Second)
		require.InDelta(t, 4, b.metric(t, "webhook_deliveries_waiting"), 0)
	})
}

// TestSweepWakesOutbox checks that overdue work, posts that came near, missing schedules and a new store wake the outbox, and
// that a round without findings does not.
func TestSweepWakesOutbox(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		find  func(*bundle)
		wakes bool
	}{
		"nothing":           {func(*bundle) {}, false},
		"overdue":           {func(b *bundle) { b.outbox.find(1, 0, false) }, true},
		"near":              {func(b *bundle) { b.outbox.find(0, 1, false) }, true},
		"missing schedules": {func(b *bundle) { b.insights.find(1) }, true},
		"another store":     {func(b *bundle) { b.outbox.find(0, 0, true) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := sweeping(t)
				b.Sweep = 1500 * time.Millisecond // between two ticks of the outbox
				ctx, end := context.WithCancel(t.Context())
				go b.Run(ctx)
				<-time.After(1400 * time.Millisecond)
				rounds := len(b.outbox.rounds())
				c.find(b)
				<-time.After(200 * time.Millisecond)
				want := rounds
				if c.wakes {
					want++
				}
				require.Len(t, b.outbox.rounds(), want)
				end()
				synctest.Wait()
			})
		})
	}
}

// TestFailedSweepIsRetried checks that each failed step ends the round and is counted, and that the next round
// starts after the pause.
func TestFailedSweepIsRetried(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(*bundle){
		"depth":     func(b *bundle) { b.outbox.failing, b.outbox.fails = "depth", errDown },
		"queues":    func(b *bundle) { b.queues.queueDown = errDown },
		"near":      func(b *bundle) { b.outbox.failing, b.outbox.fails = "near", errDown },
		"overdue":   func(b *bundle) { b.outbox.failing, b.outbox.fails = "overdue", errDown },
		"schedules": func(b *bundle) { b.insights.down = errDown },
		"temporal":  func(b *bundle) { b.temporal.refuse = func(context.Context, string) error { return errDown } },
		"store":     func(b *bundle) { b.outbox.failing, b.outbox.fails = "store", errDown },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := sweeping(t)
				fail(b)
				b.runFor(t, 100*time.Millisecond)
				require.InDelta(t, 1, b.metric(t, "relay_failures_total"), 0)
				b.runFor(t, 300*time.Millisecond)
				require.InDelta(t, 3, b.metric(t, "relay_failures_total"), 0, "again after 250 ms")
			})
		})
	}
}

// TestSweepGivesUpOnSilentTemporal checks the timeout of 10 s.
func TestSweepGivesUpOnSilentTemporal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := sweeping(t)
		b.temporal.refuse = func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() }
		b.runFor(t, 10*time.Second+time.Millisecond)
		require.InDelta(t, 1, b.metric(t, "relay_failures_total"), 0)
	})
}

// TestRelayWithoutSweep checks that a process without a sweep does no sweep work, and that one without schedules ignores
// them.
func TestRelayWithoutSweep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.runFor(t, time.Hour)
		require.Empty(t, b.outbox.stores)
		require.Empty(t, b.insights.rounds)

		c := b.Config
		c.Insights, c.Sweep = nil, time.Minute
		r, err := relay.New(c)
		require.NoError(t, err)
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		r.Run(ctx)
		require.Len(t, b.outbox.stores, 1)
		require.Empty(t, b.insights.rounds)
	})
}

// TestSweepTakesPostsWithinHorizon checks that the sweep takes them over in bounded rounds.
func TestSweepTakesPostsWithinHorizon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := sweeping(t)
		b.outbox.near = 12_345
		b.runFor(t, time.Second)
		require.Equal(t, 2_345, b.outbox.near)
		b.runFor(t, time.Second)
		require.Zero(t, b.outbox.near)
	})
}

// dueRenewals is a store with due renewals.
type dueRenewals struct {
	count  int
	oldest time.Duration
	down   error
}

func (d *dueRenewals) Overdue(_ context.Context, now time.Time) (count int, oldest time.Time, err error) {
	if d.count > 0 {
		oldest = now.Add(-d.oldest)
	}
	return d.count, oldest, d.down
}

func TestSweepReportsDueRenewals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := sweeping(t)
		due := &dueRenewals{count: 3, oldest: time.Hour}
		b.Renewals = due
		b.runFor(t, time.Second)
		require.InDelta(t, 3, b.metric(t, "token_renewals_due"), 0)
		require.InDelta(t, 3600, b.metric(t, "token_renewals_oldest_seconds"), 0)
		due.down = errDown
		b.runFor(t, time.Millisecond)
		require.InDelta(t, 1, b.metric(t, "relay_failures_total"), 0)
		require.InDelta(t, 3, b.metric(t, "token_renewals_due"), 0, "the last known value")
		*due = dueRenewals{}
		b.runFor(t, time.Second)
		require.Zero(t, b.metric(t, "token_renewals_due"))
		require.Zero(t, b.metric(t, "token_renewals_oldest_seconds"))
	})
}

// TestScheduleOfRenewalsIsCreatedOnce checks that a process creates it once in each store of Temporal, and tries
// again until it is there.
func TestScheduleOfRenewalsIsCreatedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := sweeping(t)
		b.runFor(t, time.Second)
		require.Zero(t, b.temporal.creates, "without renewals there is nothing to schedule")
		b.Renewals = &dueRenewals{}
		b.temporal.create = errRefused
		b.runFor(t, time.Millisecond)
		require.InDelta(t, 1, b.metric(t, "relay_failures_total"), 0)
		b.temporal.create = nil
		b.runFor(t, 3*time.Minute)
		require.Equal(t, 2, b.temporal.creates)
		b.temporal.store = "store-2"
		b.runFor(t, 3*time.Minute)
		require.Equal(t, 3, b.temporal.creates)
	})
}
