package delivering_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/activities/delivering"
	"socialpub.internal/shared/ident"
)

// TestAnAttemptThatWasNotHeardOfIsNotRepeatedEarly: the worker dies after the record of a failed attempt, and Temporal runs the
// activity again at once.
func TestAnAttemptThatWasNotHeardOfIsNotRepeatedEarly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.answer = status(http.StatusServiceUnavailable)
	_, in := b.deliver(t, ident.Webhook{})
	_, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)
	delivering.SetRepeated(b.Deliverer, func(context.Context) bool { return true })
	out, err := b.Attempt(t.Context(), in)
	require.NoError(t, err)
	require.False(t, out.Done)
	require.Greater(t, out.Wait, 5*time.Second, "the rest of the wait of 10 s ± 20 %")
	require.LessOrEqual(t, out.Wait, 12*time.Second)
	require.Len(t, b.requests, 1)

	_, fresh := b.deliver(t, ident.Webhook{})
	_, err = b.Attempt(t.Context(), fresh)
	require.NoError(t, err)
	require.Len(t, b.requests, 2, "one that was not made is made")
}
