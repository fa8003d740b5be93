package ratelimit_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/infra/ratelimit/ratelimittest"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/clock/clocktest"
)

// meter measures the requests that all processes together allow.
type meter struct {
	limit   ratelimit.Limit
	passed  int
	lowest  float64 // minimum of passed - rate·t so far
	surplus float64 // over Burst + rate·t, for the worst period that does not start with the first request
}

// tick records the requests allowed by the time t.
func (m *meter) tick(t time.Duration) {
	drift := float64(m.passed) - float64(m.limit.PerMinute)*t.Minutes()
	m.lowest = min(m.lowest, drift)
	m.surplus = max(m.surplus, drift-m.lowest-float64(m.limit.Burst))
}

// TestProcessesShareOneBucketUnderLoad runs many processes that all get more requests than the limit.
func TestProcessesShareOneBucketUnderLoad(t *testing.T) {
	t.Parallel()
	for _, limit := range []ratelimit.Limit{
		{PerMinute: 600, Burst: 600},
		{PerMinute: 600, Burst: 60},
		{PerMinute: 600, Burst: 5},
		{PerMinute: 60, Burst: 60},
		{PerMinute: 60_000, Burst: 1000},
	} {
		for _, processes := range []int{1, 2, 5} {
			clk := clocktest.New(time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC))
			limiters := processesOn(t, ratelimittest.New(clk), clk, processes)
			passed := 0
			const duration, step = 10 * time.Second, 2 * time.Millisecond
			for elapsed := time.Duration(0); elapsed < duration; elapsed += step {
				for _, limiter := range limiters {
					for range 3 {
						if limiter.Take(t.Context(), "key", limit).Allowed {
							passed++
						}
					}
					if elapsed%time.Second == 0 {
						limiter.Sweep(t.Context())
					}
				}
				if most := limit.Burst + int(int64(limit.PerMinute)*elapsed.Milliseconds()/60_000); passed > most {
					require.Fail(t, "too many passed", "%v by %d processes: %d after %s", limit, processes, passed, elapsed)
				}
				clk.Advance(step)
			}
			rate := float64(limit.PerMinute) / 60
			owed := float64(limit.Burst) + rate*duration.Seconds()
			t.Logf("%v by %d: %d of %.0f", limit, processes, passed, owed)
			require.GreaterOrEqual(t, float64(passed), owed-rate-float64(max(1, limit.Burst/10)*processes)-1)
		}
	}
}

// TestProcessesShareOneBucketWithRandomLoad runs clients that send waves of requests to any of several processes, with
// pauses.
func TestProcessesShareOneBucketWithRandomLoad(t *testing.T) {
	t.Parallel()
	for seed := range 20 {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(uint64(seed), 7)) //nolint:gosec // the same waves in each run
			limit := ratelimit.Limit{PerMinute: 60 << rng.IntN(8), Burst: 10 << rng.IntN(8)}
			processes := 1 + rng.IntN(4)
			clk := clocktest.New(time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC))
			limiters := processesOn(t, ratelimittest.New(clk), clk, processes)
			m := &meter{limit: limit}
			chance := 0.0
			for ms := range 60_000 {
				if rng.IntN(1500) == 0 {
					chance = math.Pow(rng.Float64(), 4) * 2 // mostly low, sometimes more than one per millisecond
				}
				for range 3 {
					if rng.Float64() < chance && limiters[rng.IntN(processes)].Take(t.Context(), "key", limit).Allowed {
						m.passed++
					}
				}
				for i, limiter := range limiters {
					if (ms+i*137)%1000 == 0 {
						limiter.Sweep(t.Context())
					}
				}
				elapsed := time.Duration(ms) * time.Millisecond
				if most := limit.Burst + int(int64(limit.PerMinute)*int64(ms)/60_000); m.passed > most {
					require.Fail(t, "too many passed", "%d after %s", m.passed, elapsed)
				}
				m.tick(elapsed)
				clk.Advance(time.Millisecond)
			}
			t.Logf("%v by %d: %d passed, worst surplus %.1f", limit, processes, m.passed, m.surplus)
			require.LessOrEqual(t, m.surplus, float64(processes*max(2, limit.Burst/5)))
		})
	}
}

func processesOn(t *testing.T, store ratelimit.Store, clk clock.Clock, n int) []*ratelimit.Limiter {
	t.Helper()
	limiters := make([]*ratelimit.Limiter, n)
	for i := range limiters {
		limiters[i] = process(t, store, clk, new(bytes.Buffer))
	}
	return limiters
}
