package postgres_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/infra/ratelimit/ratelimittest"
	"fencepost.internal/shared/kernel/clock"
)

var onceAMinute = ratelimit.Limit{PerMinute: 1, Burst: 10}

func TestRateLimitsConformance(t *testing.T) {
	t.Parallel()
	ratelimittest.Run(t, func(t *testing.T) ratelimit.Store {
		t.Helper()
		return postgres.NewRateLimits(postgrestest.Open(t))
	})
}

// limiterOn returns the limiter of one process.
func limiterOn(t testing.TB, store ratelimit.Store) *ratelimit.Limiter {
	t.Helper()
	limiter, err := ratelimit.New(ratelimit.Config{
		Store: store, Clock: clock.System(), Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	return limiter
}

// TestTwoProcessesShareOneBucket runs 50 clients of two processes until they got a bucket and two seconds' worth of
// tokens. That takes at least two seconds, however the clients share, and longer on a busy machine.
func TestTwoProcessesShareOneBucket(t *testing.T) {
	t.Parallel()
	store := ratelimittest.Patient{Store: postgres.NewRateLimits(postgrestest.Open(t))}
	const enough = 400
	limit := ratelimit.Limit{PerMinute: 6000, Burst: 200}
	limiters := []*ratelimit.Limiter{limiterOn(t, store), limiterOn(t, store)}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var passed, refused atomic.Int64
	var group sync.WaitGroup
	start := time.Now()
	for client := range 50 {
		limiter := limiters[client%len(limiters)]
		if client < len(limiters) {
			group.Go(func() { limiter.Run(ctx) })
		}
		group.Go(func() {
			pace := time.NewTicker(2 * time.Millisecond)
			defer pace.Stop()
			for ctx.Err() == nil {
				if !limiter.Take(ctx, "key", limit).Allowed {
					refused.Add(1)
				} else if passed.Add(1) == enough {
					stop()
				}
				<-pace.C
			}
		})
	}
	group.Wait()
	elapsed := time.Since(start)
	t.Logf("%d passed, %d refused in %s", passed.Load(), refused.Load(), elapsed)
	require.LessOrEqual(t, passed.Load(), int64(limit.Burst)+int64(elapsed*100/time.Second))
	require.GreaterOrEqual(t, passed.Load(), int64(enough), "within a minute")
	require.Positive(t, refused.Load())
}

func TestBackwardDatabaseClockAddsNoTokens(t *testing.T) {
	t.Parallel()
	db, address := postgrestest.OpenURL(t)
	store := postgres.NewRateLimits(db)
	lease := func() ratelimit.Lease {
		got, err := store.Lease(t.Context(), "key", onceAMinute, 10)
		require.NoError(t, err)
		return got
	}
	require.Equal(t, 10, lease().Granted)
	for range 10 {
		postgrestest.Exec(t, address, `UPDATE rate_bucket SET at = at + interval '1 hour'`) // as if it were an hour earlier
		require.Equal(t, ratelimit.Lease{Granted: 0, Lacking: 10 * ratelimit.TokenParts}, lease())
	}
	postgrestest.Exec(t, address, `UPDATE rate_bucket SET at = at - interval '181 seconds'`)
	require.Equal(t, 3, lease().Granted, "it goes on from there")
	postgrestest.Exec(t, address, `UPDATE rate_bucket SET at = at - interval '100 years'`)
	require.Equal(t, 10, lease().Granted, "no fuller than full")
}

func TestLargestLimitFits(t *testing.T) {
	t.Parallel()
	db, address := postgrestest.OpenURL(t)
	store := postgres.NewRateLimits(db)
	limit := ratelimit.Limit{PerMinute: 1 << 62, Burst: 1 << 62}.Bounded()
	for range 3 {
		got, err := store.Lease(t.Context(), "key", limit, limit.Burst)
		require.NoError(t, err)
		require.Equal(t, limit.Burst, got.Granted)
		postgrestest.Exec(t, address, `UPDATE rate_bucket SET at = '1000-01-01'`)
	}
}

func TestLeasesIgnoreTransactions(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	store := postgres.NewRateLimits(db)
	abandoned := errors.New("abandoned")
	require.ErrorIs(t, db.WithinTx(t.Context(), func(ctx context.Context) error {
		_, err := store.Lease(ctx, "key", onceAMinute, 3)
		require.NoError(t, err)
		return abandoned
	}), abandoned)
	got, err := store.Lease(t.Context(), "key", onceAMinute, 1)
	require.NoError(t, err)
	require.Equal(t, 6, onceAMinute.Tokens(got.Lacking))
}

func TestPruneDeletesFullBuckets(t *testing.T) {
	t.Parallel()
	db, address := postgrestest.OpenURL(t)
	store := postgres.NewRateLimits(db)
	for subject, row := range map[string]struct {
		tokens int
		age    string
	}{
		"just used":          {3, "0 minutes"},
		"full, but fresh":    {3, "9 minutes"},
		"full for long":      {3, "11 minutes"},
		"may not be full":    {30, "29 minutes"},
		"the slowest is now": {30, "31 minutes"},
	} {
		_, err := store.Lease(t.Context(), subject, ratelimit.Limit{PerMinute: 1, Burst: 100}, row.tokens)
		require.NoError(t, err)
		postgrestest.Exec(t, address, `UPDATE rate_bucket SET at = at - CAST($1 AS text)::interval WHERE subject = $2`,
			row.age, subject)
	}
	n, err := store.Prune(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, n)
	remaining := postgrestest.Column(t, address, `SELECT subject FROM rate_bucket ORDER BY subject`)
	require.Equal(t, []string{"full, but fresh", "just used", "may not be full"}, remaining)
}

func TestLimitsApplyWithoutDatabase(t *testing.T) {
	t.Parallel()
	db, address := postgrestest.OpenURL(t)
	store := postgres.NewRateLimits(db)
	limiter := limiterOn(t, ratelimittest.Patient{Store: store})
	limit := ratelimit.Limit{PerMinute: 1, Burst: 100}
	require.Equal(t, 99, limiter.Take(t.Context(), "key", limit).Remaining)
	require.NoError(t, db.Close())
	_, err := store.Lease(t.Context(), "key", limit, 1)
	require.True(t, postgres.IsUnavailable(err), "%v", err)
	for i := range 99 {
		require.Equal(t, 98-i, limiter.Take(t.Context(), "key", limit).Remaining)
	}
	require.False(t, limiter.Take(t.Context(), "key", limit).Allowed)
	require.Equal(t, "1", strings.Join(postgrestest.Column(t, address, `SELECT lacking / 60000000 FROM rate_bucket`), " "))
}

func BenchmarkLease(b *testing.B) {
	store := postgres.NewRateLimits(postgrestest.Open(b))
	limit := ratelimit.Limit{PerMinute: 1_000_000, Burst: 1_000_000}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := store.Lease(b.Context(), "key", limit, 1); err != nil {
			b.Fatal(err)
		}
	}
}
