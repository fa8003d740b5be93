package delivering_test

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/delivering"
	"fencepost.internal/shared/kernel/ident"
)

func TestNewRequiresDependencies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, without := range map[string]func(*delivering.Config){
		"deliveries":  func(c *delivering.Config) { c.Deliveries = nil },
		"sender":      func(c *delivering.Config) { c.Sender = nil },
		"clock":       func(c *delivering.Config) { c.Clock = nil },
		"logger":      func(c *delivering.Config) { c.Logger = nil },
		"metrics":     func(c *delivering.Config) { c.Metrics = nil },
		"retry scale": func(c *delivering.Config) { c.RetryScale = 0 },
		"poke":        func(c *delivering.Config) { c.Wake = nil },
	} {
		c := b.Config
		without(&c)
		_, err := delivering.New(c)
		require.Error(t, err, name)
	}
}

// TestAttemptsAreReported checks that attempts are counted by outcome and that the latency is observed only for
// successful deliveries. A failed attempt is recorded with the class of its failure, a successful one without.
func TestAttemptsAreReported(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.RetryScale = 0.001
	b.response = status(http.StatusInternalServerError)
	_, in := b.deliver(t, ident.Webhook{})
	for range 2 {
		out, err := b.Attempt(t.Context(), in)
		require.NoError(t, err)
		require.Less(t, out.Wait, time.Second, "the waits are scaled")
		b.comesDue(t, in)
	}
	b.response = nil
	_, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)

	require.EqualValues(t, 3, b.pokes.Load(), "an attempt frees a place")
	attempts, err := b.lines.Attempts(t.Context(), in.DeliveryID, math.MaxInt32)
	require.NoError(t, err)
	classes := make([]string, len(attempts))
	for i, a := range attempts {
		classes[i] = a.ErrorClass
	}
	require.Equal(t, []string{"status_5xx", "status_5xx", ""}, classes)
	counts := make(map[string]float64)
	families, err := b.registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if n := metric.GetCounter().GetValue(); n > 0 {
					counts[label.GetValue()] = n
				}
			}
			if family.GetName() == "webhook_delivery_latency_seconds" {
				require.EqualValues(t, 1, metric.GetHistogram().GetSampleCount())
			}
		}
	}
	require.Equal(t, map[string]float64{"status_5xx": 2, "success": 1}, counts)
	require.Equal(t, 1, testutil.CollectAndCount(b.registry, "webhook_delivery_latency_seconds"))
}

// TestConcurrentExecutionsRecordOneAttempt makes the same attempt twice concurrently. The first record applies to both
// executions.
func TestConcurrentExecutionsRecordOneAttempt(t *testing.T) {
	t.Parallel()
	for code, done := range map[int]bool{http.StatusOK: true, http.StatusInternalServerError: false} {
		b := setup(t)
		_, in := b.deliver(t, ident.Webhook{})
		b.response = func(w http.ResponseWriter, r *http.Request) {
			b.mu.Lock()
			first := len(b.requests) == 1
			b.mu.Unlock()
			if first { // another execution overtakes this one
				_, err := b.Attempt(r.Context(), in)
				if err != nil {
					t.Errorf("the other execution: %v", err)
				}
			}
			w.WriteHeader(code)
		}
		out, err := b.Attempt(t.Context(), in)
		require.NoError(t, err)
		require.Contains(t, out.Note, "Another execution already recorded this attempt.")
		require.Equal(t, done, out.Done)
		if !done {
			require.Greater(t, out.Wait, 5*time.Second, "the wait that the other execution decided on")
		}
		attempts, err := b.lines.Attempts(t.Context(), in.DeliveryID, math.MaxInt32)
		require.NoError(t, err)
		require.Len(t, attempts, 1)
		require.Len(t, b.requests, 2)
	}
}
