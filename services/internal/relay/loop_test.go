package relay_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"

	"socialpub.internal/services/internal/relay"
	"socialpub.internal/shared/infra/postgres"
)

func TestNewRequiresItsDependencies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, without := range map[string]func(*relay.Config){
		"outbox":    func(c *relay.Config) { c.Outbox = nil },
		"events":    func(c *relay.Config) { c.Events = nil },
		"lines":     func(c *relay.Config) { c.Lines = nil },
		"temporal":  func(c *relay.Config) { c.Temporal = nil },
		"clock":     func(c *relay.Config) { c.Clock = nil },
		"logger":    func(c *relay.Config) { c.Logger = nil },
		"metrics":   func(c *relay.Config) { c.Metrics = nil },
		"namespace": func(c *relay.Config) { c.Namespace = "" },
	} {
		c := b.Config
		without(&c)
		_, err := relay.New(c)
		require.Error(t, err, name)
	}
}

// TestALoopBacksOff checks that a loop waits 250 ms after a failure, and twice as long after each further one, at most
// 5 s. A success resets the delay.
func TestALoopBacksOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.outbox.down = func(round int) error {
			if round == 8 {
				return nil
			}
			return errDown
		}
		b.runFor(t, 24500*time.Millisecond)
		ms := time.Millisecond
		require.Equal(t, []time.Duration{
			0, 250 * ms, 750 * ms, 1750 * ms, 3750 * ms, 7750 * ms, 12750 * ms, 17750 * ms, // succeeds
			18770 * ms, 19020 * ms, 19520 * ms, 20520 * ms, 22520 * ms,
		}, b.outbox.rounds())
		require.InDelta(t, 12, b.metric(t, "relay_failures_total"), 0)
	})
}

// TestALoopEndsDuringItsPause checks that the relay ends at once, and that an error caused by its end is not counted.
func TestALoopEndsDuringItsPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.outbox.down = func(int) error { return errDown }
		begin := time.Now()
		b.runFor(t, 100*time.Millisecond)
		require.Equal(t, 100*time.Millisecond, time.Since(begin))

		b = setup(t)
		ctx, end := context.WithCancel(t.Context())
		b.outbox.down = func(int) error { end(); return errDown }
		b.Run(ctx)
		require.Zero(t, b.metric(t, "relay_failures_total"))
	})
}

// TestAPokeIsAnsweredAtOnce checks that a loop works every second without a poke, and after its pause of 20 ms with
// one.
func TestAPokeIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		ctx, end := context.WithCancel(t.Context())
		go b.Run(ctx)
		<-time.After(1500 * time.Millisecond)
		require.Equal(t, []time.Duration{0, 1020 * time.Millisecond}, b.outbox.rounds())
		lines := len(b.lines.rounds)

		b.outbox.add(delivery(1))
		b.Poke(relay.Messages)
		b.Poke(relay.Messages) // never blocks
		synctest.Wait()
		require.Equal(t, 1, b.temporal.starts)
		require.Len(t, b.lines.rounds, lines, "other loops do not work")

		b.lines.waiting = 1
		b.Poke(relay.Lines)
		synctest.Wait()
		require.Equal(t, 1, b.lines.admitted)

		events := b.events.rounds
		b.Poke(relay.Events)
		synctest.Wait()
		require.Equal(t, events+1, b.events.rounds)
		end()
		synctest.Wait()
	})
}

// TestWorkPassesFromLoopToLoop checks that an event is fanned out, its delivery admitted and its message delivered
// without waiting for a tick.
func TestWorkPassesFromLoopToLoop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		ctx, end := context.WithCancel(t.Context())
		go b.Run(ctx)
		<-time.After(1500 * time.Millisecond)
		lines, outbox := len(b.lines.rounds), len(b.outbox.rounds())
		b.lines.waiting, b.events.waiting, b.events.endpoint = 1, 1, true
		b.Poke(relay.Events)
		synctest.Wait()
		require.Len(t, b.lines.rounds, lines+1)
		require.Len(t, b.outbox.rounds(), outbox+1)

		<-time.After(50 * time.Millisecond)
		b.events.waiting, b.events.endpoint = 1, false
		b.Poke(relay.Events)
		synctest.Wait()
		require.Len(t, b.lines.rounds, lines+1, "an event without an endpoint wakes nothing")
		b.Poke(relay.Lines)
		synctest.Wait()
		require.Len(t, b.outbox.rounds(), outbox+1, "nor does a round that admits nothing")
		end()
		synctest.Wait()
	})
}

// TestFullBatchesAreFollowedAtOnce checks that 450 messages and events are handled in one round each, in batches of
// 200.
func TestFullBatchesAreFollowedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var messages []postgres.Message
		for id := range int64(450) {
			messages = append(messages, delivery(id+1))
		}
		b := setup(t, messages...)
		b.events.waiting = 450
		b.runFor(t, time.Millisecond)
		require.Equal(t, []int{200, 200, 50}, b.outbox.sizes)
		require.Equal(t, 450, b.temporal.starts)
		require.Equal(t, 3, b.events.rounds)
		require.Zero(t, b.events.waiting)
	})
}

// TestNoBatchStartsDuringShutdown checks that the relay ends with the last call of a full batch, and leaves the next
// batch to other relays.
func TestNoBatchStartsDuringShutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var messages []postgres.Message
		for id := range int64(300) {
			messages = append(messages, delivery(id+1))
		}
		b := setup(t, messages...)
		ctx, end := context.WithCancel(t.Context())
		var calls atomic.Int32
		b.temporal.refuse = func(context.Context, string) error {
			if calls.Add(1) == 200 {
				end()
			}
			return nil
		}
		b.Run(ctx)
		require.Equal(t, []int{200}, b.outbox.sizes)
		require.Len(t, b.outbox.ready, 100)
	})
}

// TestFailuresOfEachLoopAreCounted checks that failures are counted by loop.
func TestFailuresOfEachLoopAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.events.down = errDown
		b.runFor(t, time.Millisecond)
		require.InDelta(t, 1, b.metric(t, "relay_failures_total"), 0)
		b.lines.down = errDown
		b.runFor(t, time.Millisecond)
		require.InDelta(t, 3, b.metric(t, "relay_failures_total"), 0)
	})
}

// TestAnOutageStopsTheBatch checks that no further calls start after the first call without a response.
func TestAnOutageStopsTheBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const concurrency, messages = 16, 100
		var all []postgres.Message
		for id := range int64(messages) {
			all = append(all, delivery(id+1))
		}
		b := setup(t, all...)
		calls := 0
		b.temporal.refuse = func(ctx context.Context, _ string) error {
			b.temporal.mu.Lock()
			calls++
			b.temporal.mu.Unlock()
			<-ctx.Done()
			return serviceerror.NewUnavailable("down")
		}
		b.runFor(t, 10*time.Second+time.Millisecond)
		require.Equal(t, concurrency, calls)
		require.Len(t, b.outbox.ready, messages)
	})
}

// TestCallsInFlightMayEnd checks that on shutdown the relay starts no call and waits at most 3 s for those in flight.
func TestCallsInFlightMayEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		takes time.Duration
		ends  time.Duration
		done  bool
	}{
		"in time":  {2 * time.Second, 2 * time.Second, true},
		"too slow": {time.Hour, 3*time.Second + time.Millisecond, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, delivery(1))
				b.temporal.refuse = func(ctx context.Context, _ string) error {
					select {
					case <-ctx.Done():
						return ctx.Err()
					case <-time.After(c.takes):
						return nil
					}
				}
				begin := time.Now()
				b.runFor(t, time.Millisecond)
				require.Equal(t, c.ends, time.Since(begin))
				require.Equal(t, c.done, len(b.outbox.ready) == 0)
				require.Zero(t, b.metric(t, "relay_failures_total"))
			})
		})
	}
}
