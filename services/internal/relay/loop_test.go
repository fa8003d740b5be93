package relay_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/infra/postgres"
)

func TestNewRequiresDependencies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, without := range map[string]func(*relay.Config){
		"outbox":    func(c *relay.Config) { c.Outbox = nil },
		"events":    func(c *relay.Config) { c.Events = nil },
		"queues":    func(c *relay.Config) { c.Queues = nil },
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

// TestLoopBacksOff checks that a loop waits 250 ms after a failure, and twice as long after each further one, at most
// 5 s. A success resets the delay.
func TestLoopBacksOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.events.failing = func(round int) error {
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
		}, b.events.at)
		require.InDelta(t, 12, b.metric(t, "relay_failures_total"), 0)
	})
}

// TestLoopEndsDuringPause checks that the relay ends at once, and that an error caused by its end is not counted.
func TestLoopEndsDuringPause(t *testing.T) {
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

// TestWakeEndsPause checks that a loop works every second without a poke, and after its pause of 20 ms with
// one.
func TestWakeEndsPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		ctx, end := context.WithCancel(t.Context())
		go b.Run(ctx)
		<-time.After(1500 * time.Millisecond)
		require.Equal(t, []time.Duration{0, time.Second}, b.outbox.rounds())
		queues := len(b.queues.rounds)

		b.outbox.add(delivery(t, 1))
		b.Wake(relay.Messages)
		b.Wake(relay.Messages) // never blocks
		synctest.Wait()
		require.Equal(t, 1, b.temporal.starts)
		require.Len(t, b.queues.rounds, queues, "other loops do not work")

		b.queues.waiting = 1
		b.Wake(relay.Queues)
		synctest.Wait()
		require.Equal(t, 1, b.queues.admitted)

		events := b.events.rounds
		b.Wake(relay.Events)
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
		queues, outbox := len(b.queues.rounds), len(b.outbox.rounds())
		b.queues.waiting, b.events.waiting, b.events.endpoint = 1, 1, true
		b.Wake(relay.Events)
		synctest.Wait()
		require.Len(t, b.queues.rounds, queues+1)
		require.Len(t, b.outbox.rounds(), outbox+1)

		<-time.After(50 * time.Millisecond)
		b.events.waiting, b.events.endpoint = 1, false
		b.Wake(relay.Events)
		synctest.Wait()
		require.Len(t, b.queues.rounds, queues+1, "an event without an endpoint wakes nothing")
		b.Wake(relay.Queues)
		synctest.Wait()
		require.Len(t, b.outbox.rounds(), outbox+1, "nor does a round that admits nothing")
		end()
		synctest.Wait()
	})
}

// TestFullBatchIsFollowedImmediately checks that 450 messages and events are handled in one round each. The batches grow
// with the number of calls that may be in flight.
func TestFullBatchIsFollowedImmediately(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, deliveries(t, 450)...)
		b.events.waiting = 450
		b.runFor(t, time.Millisecond)
		require.Equal(t, 32, b.outbox.sizes[0], "four round trips of eight calls")
		require.Greater(t, b.outbox.sizes[4], 32)
		require.LessOrEqual(t, slices.Max(b.outbox.sizes), 200)
		require.Equal(t, 450, b.temporal.starts)
		require.Equal(t, 3, b.events.rounds)
		require.Zero(t, b.events.waiting)
	})
}

func deliveries(t *testing.T, count int64) []postgres.Message {
	t.Helper()
	messages := make([]postgres.Message, 0, count)
	for id := range count {
		messages = append(messages, delivery(t, id+1))
	}
	return messages
}

// TestNoCallStartsDuringShutdown checks that the relay ends with the calls in flight, and leaves all other messages to
// other relays.
func TestNoCallStartsDuringShutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, deliveries(t, 300)...)
		ctx, end := context.WithCancel(t.Context())
		var calls, late atomic.Int32
		b.temporal.refuse = func(context.Context, string) error {
			if ctx.Err() != nil {
				late.Add(1)
			}
			if calls.Add(1) == 100 {
				end()
			}
			<-time.After(time.Millisecond)
			return nil
		}
		b.Run(ctx)
		require.LessOrEqual(t, int(late.Load()), 64, "calls that had been allowed before")
		require.Len(t, b.outbox.ready, 300-int(calls.Load()))
		require.Greater(t, len(b.outbox.ready), 100)
	})
}

// TestSlowCallDelaysNoOtherMessage has a call that takes 9 s: messages of the same batch and of later ones are
// delivered meanwhile.
func TestSlowCallDelaysNoOtherMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		messages := deliveries(t, 100)
		b := setup(t, messages...)
		slow := startOf(t, messages[0]).ID
		b.temporal.refuse = func(_ context.Context, id string) error {
			if id == slow {
				<-time.After(9 * time.Second)
			}
			return nil
		}
		ctx, end := context.WithCancel(t.Context())
		go b.Run(ctx)
		<-time.After(500 * time.Millisecond)
		b.outbox.add(delivery(t, 101))
		b.Wake(relay.Messages)
		<-time.After(1500 * time.Millisecond)
		require.Equal(t, 100, b.temporal.started(), "all but the slow one")
		<-time.After(8 * time.Second)
		require.Equal(t, 101, b.temporal.started())
		end()
		synctest.Wait()
	})
}

// TestDueMessagesOvertakePatientOnes has a long patient lane and a Temporal whose calls take 200 ms: an urgent message is
// delivered with its own call, and the patient lane lowers its calls in flight.
func TestDueMessagesOvertakePatientOnes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.outbox.patient = deliveries(t, 2000)
		urgent := delivery(t, 3000)
		delivered := make(map[string]time.Time)
		b.temporal.refuse = func(_ context.Context, id string) error {
			<-time.After(200 * time.Millisecond)
			b.temporal.mu.Lock()
			defer b.temporal.mu.Unlock()
			delivered[id] = time.Now()
			return nil
		}
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { b.Run(ctx); close(ended) }()
		<-time.After(3 * time.Second)
		added := time.Now()
		b.outbox.add(urgent)
		b.Wake(relay.Messages)
		<-time.After(250 * time.Millisecond)
		b.temporal.mu.Lock()
		require.Equal(t, 200*time.Millisecond, delivered[startOf(t, urgent).ID].Sub(added))
		b.temporal.mu.Unlock()
		end()
		<-ended
	})
}

// TestSlowCallsAreNotOutage has a Temporal that responds to every second call in time: the loop does not pause, and
// the slow messages are sent again.
func TestSlowCallsAreNotOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, deliveries(t, 20)...)
		var calls atomic.Int32
		b.temporal.refuse = func(ctx context.Context, _ string) error {
			if calls.Add(1)%2 == 1 && calls.Load() < 10 {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		b.runFor(t, 30*time.Second)
		require.Empty(t, b.outbox.ready)
		require.Zero(t, b.metric(t, "relay_failures_total"))
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
		b.queues.down = errDown
		b.runFor(t, time.Millisecond)
		require.InDelta(t, 3, b.metric(t, "relay_failures_total"), 0)
	})
}

// TestOutageStopsBatch checks that no further calls start after the first call without a response.
func TestOutageStopsBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const concurrency, messages, carriers = 8, 100, 2
		b := setup(t, deliveries(t, messages)...)
		calls := 0
		b.temporal.refuse = func(ctx context.Context, _ string) error {
			b.temporal.mu.Lock()
			calls++
			b.temporal.mu.Unlock()
			<-ctx.Done()
			return serviceerror.NewUnavailable("down")
		}
		b.runFor(t, 10*time.Second+time.Millisecond)
		require.LessOrEqual(t, calls, carriers*(concurrency+1),
			"one may start after the first error, and the other carrier may begin its batch after the outage")
		require.Len(t, b.outbox.ready, messages-len(b.outbox.failed))
	})
}

// TestTwoUnreachableCallsEndBatch checks that a batch ends with the calls in flight when two in a row find Temporal
// unreachable, and that the log has their error.
func TestTwoUnreachableCallsEndBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, deliveries(t, 100)...)
		var calls atomic.Int32
		b.temporal.refuse = func(context.Context, string) error {
			if calls.Add(1) <= 2 {
				return serviceerror.NewUnavailable("no server")
			}
			<-time.After(time.Millisecond)
			return nil
		}
		b.runFor(t, 2*time.Millisecond)
		require.LessOrEqual(t, calls.Load(), int32(9), "one may start after the first error")
		require.Contains(t, b.log.String(), "no server")
		require.NotContains(t, b.log.String(), "another call")

		b.temporal.refuse = func(context.Context, string) error {
			if calls.Add(1) < 500 {
				return serviceerror.NewUnavailable("no server")
			}
			return nil
		}
		b.runFor(t, 10*time.Minute)
		require.Empty(t, b.outbox.ready, "a call that was not made holds no place")
	})
}

// TestRejectedMessageDelaysNoOther checks that an error about one message does not slow its lane, although
// it is an error of an outage, and that the message is tried again ever more rarely.
func TestRejectedMessageDelaysNoOther(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]error{
		"its shard is unavailable": serviceerror.NewUnavailable("shard status unknown"), "internal": serviceerror.NewInternal("fault"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				messages := deliveries(t, 300) // several batches
				b := setup(t, messages...)
				var refused atomic.Int32
				b.temporal.refuse = func(_ context.Context, id string) error {
					if id == startOf(t, messages[0]).ID {
						refused.Add(1)
						return refusal
					}
					<-time.After(time.Millisecond)
					return nil
				}
				b.outbox.again = true
				b.runFor(t, 5*time.Second)
				require.Equal(t, len(messages)-1, b.temporal.started())
				b.runFor(t, time.Hour)
				require.Less(t, refused.Load(), int32(300), "about four times a minute")
			})
		})
	}
}

// TestUnreadableMessageIsKept checks a message of a newer version, after a roll-back.
func TestUnreadableMessageIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		messages := deliveries(t, 3)
		messages[0].Payload = "of a newer version"
		b := setup(t, messages...)
		b.outbox.again = true
		b.runFor(t, 30*time.Second)
		require.Equal(t, 2, b.temporal.started())
		require.InDelta(t, 1, b.metric(t, "outbox_unreadable_total"), 0)
		require.Contains(t, b.log.String(), `of the kind \"delivery\"`)
		b.runFor(t, time.Minute)
		require.InDelta(t, 2, b.metric(t, "outbox_unreadable_total"), 0, "it is read again, for a version that knows it")
	})
}

// TestOverloadedTemporalIsNotOutage checks that calls which Temporal refuses because of its load, or rejects, do not stop
// the batch.
func TestOverloadedTemporalIsNotOutage(t *testing.T) {
	t.Parallel()
	for name, others := range map[string]error{"other calls succeed": nil, "other calls are rejected": errRefused} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				messages := deliveries(t, 32) // one batch
				b := setup(t, messages...)
				var calls atomic.Int32
				b.temporal.refuse = func(context.Context, string) error {
					if calls.Add(1) == 1 {
						return serviceerror.NewDeadlineExceeded("slow")
					}
					<-time.After(time.Millisecond) // the first call ends before
					return others
				}
				b.runFor(t, 900*time.Millisecond)
				require.Empty(t, b.outbox.ready)
				require.EqualValues(t, len(messages)+1, calls.Load())
				require.Zero(t, b.metric(t, "relay_failures_total"))
			})
		})
	}
}

// TestSlowBatchEndsEarly checks that a batch whose calls are slow ends early, so that its other rows are free.
func TestSlowBatchEndsEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, deliveries(t, 32)...)
		b.temporal.refuse = func(context.Context, string) error { <-time.After(2 * time.Second); return nil }
		b.runFor(t, 7*time.Second)
		require.Len(t, b.outbox.sizes, 2)
		require.Zero(t, b.metric(t, "relay_failures_total"))
	})
}

// TestFullBatchStartsNextBatch checks that a lane sends its next batch while the calls of the first are in flight.
func TestFullBatchStartsNextBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.temporal.refuse = func(context.Context, string) error { <-time.After(time.Second); return nil }
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { b.Run(ctx); close(ended) }()
		<-time.After(3500 * time.Millisecond) // all carriers wait
		for _, m := range deliveries(t, 32+20) {
			b.outbox.add(m)
		}
		b.Wake(relay.Messages)
		synctest.Wait()
		require.Equal(t, []int{32, 20}, b.outbox.sizes)
		for _, m := range deliveries(t, 20) {
			m.ID += 100
			b.outbox.add(m)
		}
		synctest.Wait()
		require.Len(t, b.outbox.sizes, 2, "a batch that is not full wakes none")
		end()
		<-ended
	})
}

// TestAdmittedDeliveriesAreReported checks that the relay reports them to the program that runs it.
func TestAdmittedDeliveriesAreReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		reports := 0
		b.Admitted = func() { reports++ }
		b.queues.waiting = 3
		b.runFor(t, 10*time.Second)
		require.Equal(t, 1, reports)
	})
}

// TestLoopFailuresStartAtZero checks that the failures of each loop are exported before the first one, so that a rate of them
// begins at zero.
func TestLoopFailuresStartAtZero(t *testing.T) {
	t.Parallel()
	for sweeps, loops := range map[bool]int{true: 7, false: 6} {
		registry := prometheus.NewRegistry()
		relay.NewMetrics(registry, sweeps)
		n, err := testutil.GatherAndCount(registry, "relay_failures_total")
		require.NoError(t, err)
		require.Equal(t, loops, n)
	}
}

// TestShutdownWaitsForCallsInFlight checks that on shutdown the relay starts no call and waits at most 3 s for those in flight.
func TestShutdownWaitsForCallsInFlight(t *testing.T) {
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
				b := setup(t, delivery(t, 1))
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
