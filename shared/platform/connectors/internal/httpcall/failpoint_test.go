//go:build failpoint

package httpcall_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/platform"
)

// TestFailPoints is not parallel, because the fail points are set by the environment, once per process.
func TestFailPoints(t *testing.T) {
	t.Setenv("FAILPOINTS",
		"publish.before_write=sleep(300ms)#1;publish.before_write=error#2;publish.after_response=error#1")
	t.Setenv("FAILPOINTS_FILE", "")
	t.Setenv("FAILPOINTS_LOG", "")
	var requests atomic.Int32
	b := setup(t, func(w http.ResponseWriter, _ *http.Request) { requests.Add(1); w.WriteHeader(http.StatusCreated) })
	b.config.Clock = clock.System()
	client := b.client(t)

	// A process that is paused just before its first byte finds the window closed when it resumes.
	ctx := platform.WithSendBy(t.Context(), time.Now().Add(100*time.Millisecond))
	_, err := client.CommitCall(ctx, post())
	require.Equal(t, platform.CodeSendWindowClosed, failureOf(t, err, platform.ClassTransient).Code)
	require.Zero(t, requests.Load())

	_, err = client.CommitCall(t.Context(), post())
	requireFailure(t, err, platform.ClassTransient)
	require.ErrorIs(t, err, failpoint.ErrInjected)
	require.Zero(t, requests.Load())

	_, err = client.CommitCall(t.Context(), post())
	requireFailure(t, err, platform.ClassUnknown)
	require.ErrorIs(t, err, failpoint.ErrInjected)
	require.Equal(t, int32(1), requests.Load())
}
