package delivering_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/kernel/ident"
)

// TestARetryThatLostItsWaitIsNotMadeEarly covers two cases: the worker dies after recording a failed attempt, and
// Temporal repeats the activity at once; or Temporal's store is lost, and every delivery is restarted at once.
func TestARetryThatLostItsWaitIsNotMadeEarly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.answer = status(http.StatusServiceUnavailable)
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
