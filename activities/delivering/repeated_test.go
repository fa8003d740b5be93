package delivering_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/ident"
)

// TestRetryIsRequestedFromTemporal checks that the activity requests its next attempt from Temporal, with the note for
// operators, and that errors and ends stay as they are.
func TestRetryIsRequestedFromTemporal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.response = status(http.StatusServiceUnavailable)
	_, in := b.deliver(t, ident.Webhook{})
	_, err := b.Deliver(t.Context(), in)
	waiting, ok := errors.AsType[*temporal.ApplicationError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, flow.ErrorWaiting, waiting.Type())
	require.Equal(t, "Attempt 1 of 6 failed (status 503). Tries again.", waiting.Message())
	require.False(t, waiting.NonRetryable())
	require.Equal(t, temporal.ApplicationErrorCategoryBenign, waiting.Category(), "a refusal is no fault of the worker")
	require.InDelta(t, 10, waiting.NextRetryDelay().Seconds(), 2)

	b.comesDue(t, in)
	b.response = nil
	out, err := b.Deliver(t.Context(), in)
	require.NoError(t, err)
	require.True(t, out.Done)
	require.Len(t, b.requests, 2)
}

// TestRepeatedActivityDoesNotRetryEarly covers two cases: the worker dies after recording a failed attempt, and
// Temporal repeats the activity at once; or Temporal's store is lost, and every delivery is restarted at once.
func TestRepeatedActivityDoesNotRetryEarly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.response = status(http.StatusServiceUnavailable)
	_, in := b.deliver(t, ident.Webhook{})
	_, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)
	out, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)
	require.False(t, out.Done)
	require.Greater(t, out.Wait, 5*time.Second, "the rest of the wait of 10 s ± 20 %")
	require.LessOrEqual(t, out.Wait, 12*time.Second)
	require.Len(t, b.requests, 1)

	b.comesDue(t, in)
	_, err = b.Attempt(t.Context(), in)
	require.NoError(t, err)
	require.Len(t, b.requests, 2, "in its time it is made")
}
