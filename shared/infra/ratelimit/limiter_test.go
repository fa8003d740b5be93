package ratelimit_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/infra/ratelimit/ratelimittest"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/clock/clocktest"
)

// tenPerSecond is the limit of most tests: a token per 100 ms, blocks of up to ten.
var tenPerSecond = ratelimit.Limit{PerMinute: 600, Burst: 100}

type bundle struct {
	clock   *clocktest.Fake
	store   *ratelimittest.Store
	limiter *ratelimit.Limiter
	log     *bytes.Buffer
}

func setup(t testing.TB) *bundle {
	t.Helper()
	clk := clocktest.New(time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC))
	b := &bundle{clock: clk, store: ratelimittest.New(clk), log: new(bytes.Buffer)}
	b.limiter = process(t, b.store, clk, b.log)
	return b
}

// process returns the limiter of another process.
func process(t testing.TB, store ratelimit.Store, clk clock.Clock, log *bytes.Buffer) *ratelimit.Limiter {
	t.Helper()
	limiter, err := ratelimit.New(ratelimit.Config{
		Store: store, Clock: clk, Logger: slog.New(slog.NewTextHandler(log, nil)),
	})
	require.NoError(t, err)
	return limiter
}

func (b *bundle) take(t testing.TB) ratelimit.Decision {
	t.Helper()
	return b.limiter.Take(t.Context(), "key", tenPerSecond)
}

// drain takes until a request is rejected and returns the number of allowed requests.
func (b *bundle) drain(t testing.TB) int {
	t.Helper()
	for allowed := 0; ; allowed++ {
		if !b.take(t).Allowed {
			return allowed
		}
	}
}

func TestNewRequiresConfig(t *testing.T) {
	t.Parallel()
	whole := ratelimit.Config{
		Store: ratelimittest.New(clock.System()), Clock: clock.System(), Logger: slog.New(slog.DiscardHandler),
	}
	for _, remove := range []func(*ratelimit.Config){
		func(c *ratelimit.Config) { c.Store = nil },
		func(c *ratelimit.Config) { c.Clock = nil },
		func(c *ratelimit.Config) { c.Logger = nil },
	} {
		cfg := whole
		remove(&cfg)
		_, err := ratelimit.New(cfg)
		require.Error(t, err)
	}
}

func TestHeadersCountDown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 100 {
		d := b.take(t)
		require.True(t, d.Allowed)
		require.Equal(t, 100, d.Limit)
		require.Equal(t, 99-i, d.Remaining)
		require.Zero(t, d.RetryAfter)
		want := time.Duration(i+1) * 100 * time.Millisecond // until it is full
		if d.Remaining == 0 {
			want = time.Second // until the next request is allowed
		}
		require.Equal(t, want, d.Reset, "after %d", i+1)
	}
	d := b.take(t)
	require.Equal(t, ratelimit.Decision{Limit: 100, Reset: time.Second, RetryAfter: time.Second}, d)
	b.clock.Advance(400 * time.Millisecond)
	d = b.take(t)
	require.Equal(t, ratelimit.Decision{Limit: 100, Reset: 600 * time.Millisecond, RetryAfter: 600 * time.Millisecond}, d)
	b.clock.Advance(600 * time.Millisecond)
	require.Equal(t, 10, b.drain(t), "what the second has brought")
	b.clock.Advance(time.Minute)
	d = b.take(t)
	require.Equal(t, 99, d.Remaining)
	require.Equal(t, 100*time.Millisecond, d.Reset)
}

func TestHeadersAreAccurate(t *testing.T) {
	t.Parallel()
	for _, limit := range []ratelimit.Limit{
		{PerMinute: 1, Burst: 1}, {PerMinute: 7, Burst: 3}, {PerMinute: 600, Burst: 5}, {PerMinute: 6000, Burst: 6000},
	} {
		b := setup(t)
		for range 20_000 {
			d := b.limiter.Take(t.Context(), "key", limit)
			if d.Remaining >= limit.Burst { // an assertion costs more than the request
				require.Fail(t, "more remains than the bucket holds", "%v: %+v", limit, d)
			}
			if d.Allowed {
				continue
			}
			if d.RetryAfter <= 0 || d.RetryAfter != d.Reset || d.Remaining != 0 {
				require.Fail(t, "wrong headers of a refused request", "%v: %+v", limit, d)
			}
			b.clock.Advance(d.RetryAfter - time.Microsecond)
			early := b.limiter.Take(t.Context(), "key", limit)
			b.clock.Advance(time.Microsecond)
			if late := b.limiter.Take(t.Context(), "key", limit); early.Allowed || !late.Allowed {
				require.Fail(t, "the headers promise another time", "%v: %+v, then %+v and %+v", limit, d, early, late)
			}
		}
	}
}

func TestStoreCallsAreLimited(t *testing.T) {
	t.Parallel()
	const seconds = 60
	for name, test := range map[string]struct {
		limit    ratelimit.Limit
		interval time.Duration
		allowed  int
		calls    int
	}{
		"within the limit": {
			ratelimit.Limit{PerMinute: 600, Burst: 600}, 110 * time.Millisecond, 545, 2 * seconds,
		},
		"far within it": {
			ratelimit.Limit{PerMinute: 6000, Burst: 1000}, 20 * time.Millisecond, 2999, 2 * seconds,
		},
		"seldom: a call each":         {ratelimit.Limit{PerMinute: 600, Burst: 600}, 4 * time.Second, 14, 14},
		"refused is refused for free": {ratelimit.Limit{PerMinute: 1, Burst: 100}, time.Millisecond, 100, 30},
		"hammering at the limit":      {ratelimit.Limit{PerMinute: 600, Burst: 600}, time.Millisecond, 1195, seconds + 30},
		"a small bucket fills soon":   {ratelimit.Limit{PerMinute: 600, Burst: 10}, time.Millisecond, 600, 600 + 3*seconds},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			end := b.clock.Now().Add(seconds * time.Second)
			allowed := 0
			for swept := b.clock.Now(); b.clock.Advance(test.interval).Before(end); {
				if b.limiter.Take(t.Context(), "key", test.limit).Allowed {
					allowed++
				}
				if b.clock.Now().Sub(swept) >= time.Second {
					b.limiter.Sweep(t.Context())
					swept = b.clock.Now()
				}
			}
			t.Logf("%d allowed, %d calls", allowed, b.store.Calls())
			require.GreaterOrEqual(t, allowed, test.allowed)
			require.LessOrEqual(t, b.store.Calls(), test.calls)
		})
	}
}

func TestUnusedTokensAreReturned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 40 {
		require.True(t, b.take(t).Allowed) // blocks of 1, 2, 4, 8, 10, 10 and 10, of which 5 are left
	}
	other := process(t, b.store, b.clock, b.log)
	require.Equal(t, 100-45-1, other.Take(t.Context(), "key", tenPerSecond).Remaining)
	b.limiter.Sweep(t.Context())
	calls := b.store.Calls()
	b.clock.Advance(time.Second)
	b.limiter.Sweep(t.Context())
	require.Equal(t, calls+1, b.store.Calls())
	require.Equal(t, 100-41-1+10, other.Take(t.Context(), "key", tenPerSecond).Remaining, "with what a second brought")
	b.limiter.Sweep(t.Context())
	require.Equal(t, calls+2, b.store.Calls(), "given back once")
}

func TestOldBlocksAreDiscarded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 40 {
		b.take(t)
	}
	calls := b.store.Calls()
	b.clock.Advance(time.Second - 1)
	b.take(t)
	require.Equal(t, calls, b.store.Calls())
	b.clock.Advance(1)
	b.take(t)
	require.Equal(t, calls+1, b.store.Calls())
}

func TestRunSweepsAndReturnsTokensAtEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := ratelimittest.New(clock.System())
		limiter := process(t, store, clock.System(), new(bytes.Buffer))
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			limiter.Run(ctx)
		}()
		slow := ratelimit.Limit{PerMinute: 1, Burst: 100}
		use := func() {
			for range 40 {
				limiter.Take(ctx, "key", slow)
			}
		}
		use()
		<-time.After(2500 * time.Millisecond)
		lease, err := store.Lease(ctx, "key", slow, 1)
		require.NoError(t, err)
		require.Equal(t, 100-41, slow.Tokens(lease.Lacking))
		use()
		stop()
		<-done
		lease, err = store.Lease(t.Context(), "key", slow, 1)
		require.NoError(t, err)
		require.Equal(t, 100-82, slow.Tokens(lease.Lacking))
	})
}

func TestConcurrentRequestsShareStoreCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.limiter = process(t, &slowStore{Store: b.store}, b.clock, b.log)
		var allowed atomic.Int64
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				for range 20 {
					if b.take(t).Allowed {
						allowed.Add(1)
					}
				}
			})
		}
		group.Wait()
		require.Equal(t, int64(100), allowed.Load())
		require.LessOrEqual(t, b.store.Calls(), 20)
	})
}

// slowStore responds when no other request runs any more: in the test, time passes only then.
type slowStore struct{ ratelimit.Store }

func (s *slowStore) Lease(
	ctx context.Context, subject string, limit ratelimit.Limit, want int,
) (ratelimit.Lease, error) {
	<-time.After(time.Millisecond)
	return s.Store.Lease(ctx, subject, limit, want)
}

func TestSubjectsAndLimitsAreSeparate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, 100, b.drain(t))
	require.True(t, b.limiter.Take(t.Context(), "another", tenPerSecond).Allowed)
	// A larger plan takes effect at once; the bucket keeps its lack.
	d := b.limiter.Take(t.Context(), "key", ratelimit.Limit{PerMinute: 6000, Burst: 2000})
	require.True(t, d.Allowed)
	require.Equal(t, 1899, d.Remaining)
	require.False(t, b.take(t).Allowed)
}

func TestBackwardClockAddsNoTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, 100, b.drain(t))
	for range 50 { // both clocks
		b.clock.Advance(-time.Hour)
		require.Zero(t, b.drain(t))
	}
	other := clocktest.New(b.clock.Now())
	b.limiter = process(t, b.store, other, b.log)
	for range 50 { // the process's clock
		other.Advance(-time.Hour)
		require.Zero(t, b.drain(t))
	}
	b.clock.Advance(time.Second)
	other.Advance(2 * time.Second)
	require.Equal(t, 10, b.drain(t), "it goes on from there")
}

func TestBackwardClockAddsNoTokensDuringOutage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.Fail(errors.New("down"))
	require.Equal(t, 100, b.drain(t))
	for range 50 {
		b.clock.Advance(-time.Hour)
		require.Zero(t, b.drain(t))
	}
	b.clock.Advance(time.Second)
	require.Equal(t, 10, b.drain(t))
}

func TestProcessesLimitLocallyWithoutStore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 31 { // blocks of 1, 2, 4, 8, 10 and 10, of which 4 are left
		require.True(t, b.take(t).Allowed)
	}
	b.store.Fail(errors.New("down"))
	d := b.take(t)
	require.Equal(t, 68, d.Remaining)
	require.Equal(t, 68, b.drain(t), "as many as the shared bucket would have given")
	d = b.take(t)
	require.Equal(t, ratelimit.Decision{Limit: 100, Reset: 100 * time.Millisecond, RetryAfter: 100 * time.Millisecond}, d)
	calls := b.store.Calls()
	for range 1000 { // ten seconds
		b.clock.Advance(10 * time.Millisecond)
		b.take(t)
	}
	require.LessOrEqual(t, b.store.Calls()-calls, 11)
	require.Zero(t, b.drain(t))
	b.clock.Advance(5 * time.Second)
	require.Equal(t, 50, b.drain(t))
	require.Equal(t, 1, strings.Count(b.log.String(), "level="), b.log.String())
	require.Contains(t, b.log.String(), "level=WARN")
	b.store.Fail(nil)
	b.clock.Advance(time.Second)
	require.True(t, b.take(t).Allowed)
	require.Equal(t, 2, strings.Count(b.log.String(), "level="), b.log.String())
	require.Contains(t, b.log.String(), "recovered")
	b.store.Fail(errors.New("down"))
	b.clock.Advance(2 * time.Second)
	b.take(t)
	require.Equal(t, 2, strings.Count(b.log.String(), "level=WARN"), "another outage")
}

func TestEmptyBucketStaysEmptyInOutage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, 100, b.drain(t))
	b.store.Fail(errors.New("down"))
	b.clock.Advance(time.Second)
	require.Equal(t, 10, b.drain(t))
}

func TestUnusedTokensOfOutageAreLost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 40 {
		b.take(t)
	}
	b.clock.Advance(time.Second)
	b.store.Fail(errors.New("down"))
	b.limiter.Sweep(t.Context())
	b.store.Fail(nil)
	calls := b.store.Calls()
	b.limiter.Sweep(t.Context())
	require.Equal(t, calls, b.store.Calls(), "they may have arrived")
	require.Equal(t, 100-45-1+10, process(t, b.store, b.clock, b.log).Take(t.Context(), "key", tenPerSecond).Remaining)
}

// hangingStore responds when the context ends, as a database behind a broken network does.
type hangingStore struct{ calls atomic.Int64 }

func (s *hangingStore) Lease(ctx context.Context, _ string, _ ratelimit.Limit, _ int) (ratelimit.Lease, error) {
	s.calls.Add(1)
	<-ctx.Done()
	return ratelimit.Lease{}, ctx.Err()
}

func (s *hangingStore) GiveBack(ctx context.Context, _ []ratelimit.Unused) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestHangingStoreDelaysNoRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := new(hangingStore)
		limiter := process(t, store, clock.System(), new(bytes.Buffer))
		start := time.Now()
		var group sync.WaitGroup
		for i := range 50 {
			group.Go(func() {
				if !limiter.Take(t.Context(), "key "+strconv.Itoa(i%5), tenPerSecond).Allowed {
					t.Error("refused")
				}
			})
		}
		group.Wait()
		require.Equal(t, 200*time.Millisecond, time.Since(start))
		require.LessOrEqual(t, store.calls.Load(), int64(5))
		start = time.Now()
		require.True(t, limiter.Take(t.Context(), "key 7", tenPerSecond).Allowed)
		require.Zero(t, time.Since(start))
	})
}

func TestCanceledRequestDoesNotAffectOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	b.limiter = process(t, liveStore{b.store}, b.clock, b.log)
	require.True(t, b.limiter.Take(ctx, "key", tenPerSecond).Allowed)
	require.Empty(t, b.log.String())
}

// liveStore rejects contexts that have ended.
type liveStore struct{ ratelimit.Store }

func (s liveStore) Lease(
	ctx context.Context, subject string, limit ratelimit.Limit, want int,
) (ratelimit.Lease, error) {
	if err := ctx.Err(); err != nil {
		return ratelimit.Lease{}, err
	}
	return s.Store.Lease(ctx, subject, limit, want)
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 3 { // the third block has a token left
		b.take(t)
	}
	b.take(t)
	for i := range 10_000 {
		require.True(t, b.limiter.Take(t.Context(), strconv.Itoa(i), tenPerSecond).Allowed)
	}
	calls := b.store.Calls()
	require.True(t, b.take(t).Allowed)
	require.Equal(t, calls+1, b.store.Calls(), "the bucket used least recently was discarded")
	require.Equal(t, 100-7-2, b.take(t).Remaining, "the store knows")
}

func TestSweepDropsFullBuckets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 9_999 {
		b.limiter.Take(t.Context(), strconv.Itoa(i), tenPerSecond)
	}
	b.clock.Advance(5 * time.Second)
	b.limiter.Sweep(t.Context())
	for range 8 {
		b.take(t)
	}
	for i := range 9_999 {
		b.limiter.Take(t.Context(), strconv.Itoa(i), tenPerSecond)
	}
	calls := b.store.Calls()
	require.True(t, b.take(t).Allowed)
	require.Equal(t, calls, b.store.Calls(), "there was room for all")
}

func BenchmarkTake(b *testing.B) {
	limit := ratelimit.Limit{PerMinute: 1_000_000, Burst: 1_000_000}
	for name, test := range map[string]struct {
		limit    ratelimit.Limit
		parallel bool
	}{
		"allowed":          {limit, false},
		"allowed/parallel": {limit, true},
		"refused":          {ratelimit.Limit{PerMinute: 1, Burst: 1}, false},
	} {
		b.Run(name, func(b *testing.B) {
			store := endless{}
			var counted ratelimit.Store = store
			if name == "refused" {
				counted = ratelimittest.New(clock.System())
			}
			limiter := process(b, counted, clock.System(), new(bytes.Buffer))
			b.ReportAllocs()
			b.ResetTimer()
			if test.parallel {
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						limiter.Take(b.Context(), "key:01960000-0000-7000-8000-000000000000", test.limit)
					}
				})
				return
			}
			for range b.N {
				limiter.Take(b.Context(), "key:01960000-0000-7000-8000-000000000000", test.limit)
			}
		})
	}
}

// endless grants every request.
type endless struct{}

func (endless) Lease(_ context.Context, _ string, _ ratelimit.Limit, want int) (ratelimit.Lease, error) {
	return ratelimit.Lease{Granted: want}, nil
}

func (endless) GiveBack(context.Context, []ratelimit.Unused) error { return nil }
