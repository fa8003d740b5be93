package webhook_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/webhook"
)

func TestRetryBackoff(t *testing.T) {
	t.Parallel()
	total := time.Duration(0)
	for i, want := range []time.Duration{10, 40, 160, 640, 2560} {
		least, more := webhook.RetryAfter(i+1, 0, 0)
		require.True(t, more)
		require.InEpsilon(t, 0.8*float64(want*time.Second), least, 1e-9)
		most, _ := webhook.RetryAfter(i+1, 1, 0)
		require.InEpsilon(t, 1.2*float64(want*time.Second), most, 1e-9)
		exact, _ := webhook.RetryAfter(i+1, 0.5, 0)
		total += exact
		requested, _ := webhook.RetryAfter(i+1, 0.5, 24*time.Hour)
		require.Equal(t, 2*want*time.Second, requested, "Retry-After stretches a step to twice its length")
		ignored, _ := webhook.RetryAfter(i+1, 0.5, time.Second)
		require.Equal(t, exact, ignored, "and shortens none")
	}
	require.InDelta(t, 3410*time.Second, total, float64(time.Second))
	_, more := webhook.RetryAfter(webhook.MaxAttempts, 0.5, 0)
	require.False(t, more)
}

// TestRetriesAreSpread fails all attempts of 1,000 deliveries to one endpoint: four leave its queue at once,
// and, after the first failure, one after another.
func TestRetriesAreSpread(t *testing.T) {
	t.Parallel()
	const (
		deliveries = 1000
		attempt    = 20 * time.Millisecond // the fastest failure over a network
	)
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // G404: deterministic on purpose
	buckets, retries := make(map[time.Duration]int), 0
	for i := range deliveries {
		at := max(0, time.Duration(i-webhook.MaxInFlight+1)) * attempt
		for n := 1; ; n++ {
			wait, more := webhook.RetryAfter(n, random.Float64(), 0)
			if !more {
				break
			}
			at += attempt + wait
			buckets[at.Truncate(time.Second)]++
			retries++
		}
	}
	require.Equal(t, deliveries*(webhook.MaxAttempts-1), retries)
	for second, n := range buckets {
		require.LessOrEqual(t, n, retries/20, "%v holds more than 5 %% of the retries", second)
	}
}
