package ratelimit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/ratelimit"
)

func TestLimitsAreBounded(t *testing.T) {
	t.Parallel()
	require.Equal(t, ratelimit.Limit{PerMinute: 1, Burst: 1}, ratelimit.Limit{}.Bounded())
	require.Equal(t, ratelimit.Limit{PerMinute: 1, Burst: 1}, ratelimit.Limit{PerMinute: -7, Burst: -7}.Bounded())
	require.Equal(t, ratelimit.Limit{PerMinute: 600, Burst: 100}, ratelimit.Limit{PerMinute: 600, Burst: 100}.Bounded())
	require.Equal(t, ratelimit.Limit{PerMinute: 1_000_000, Burst: 1_000_000},
		ratelimit.Limit{PerMinute: 1 << 62, Burst: 1 << 62}.Bounded())
}

func TestBucketsAreExact(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{1, 7, 60, 599, 600, 601, 6000, 60_000, 999_999, 1_000_000} {
		for _, burst := range []int{1, 2, 10, 97, 600} {
			limit := ratelimit.Limit{PerMinute: rate, Burst: burst}
			for taken := range burst + 1 {
				lacking := int64(taken) * ratelimit.TokenParts
				remaining := burst - taken
				require.Equal(t, remaining, limit.Tokens(lacking), "%v after %d", limit, taken)
				full := limit.UntilFull(lacking)
				require.Zero(t, limit.Regain(lacking, full))
				if taken == 0 {
					require.Zero(t, limit.UntilNext(lacking))
					continue
				}
				require.Positive(t, limit.Regain(lacking, full-time.Microsecond))
				next := limit.UntilNext(lacking)
				require.Equal(t, remaining+1, limit.Tokens(limit.Regain(lacking, next)), "%v after %d", limit, taken)
				require.Equal(t, remaining, limit.Tokens(limit.Regain(lacking, next-time.Microsecond)), "%v after %d: no sooner", limit,
					taken)
			}
			empty := int64(burst) * ratelimit.TokenParts
			require.Equal(t, empty, limit.Regain(1<<62, -time.Hour),
				"no emptier than empty, and no fuller by a clock that jumps back")
			require.Zero(t, limit.Regain(1<<62, 1<<62))
		}
	}
}

// TestRefillIsIndependentOfReads checks that the number of reads of a bucket makes no difference.
func TestRefillIsIndependentOfReads(t *testing.T) {
	t.Parallel()
	limit := ratelimit.Limit{PerMinute: 7, Burst: 100}
	lacking := 100 * ratelimit.TokenParts
	stepwise := lacking
	for range 60_000 {
		stepwise = limit.Regain(stepwise, time.Millisecond)
	}
	require.Equal(t, 93*ratelimit.TokenParts, stepwise)
	require.Equal(t, limit.Regain(lacking, time.Minute), stepwise)
}
