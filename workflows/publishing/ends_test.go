package publishing_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/workflows/publishing"
)

// ended runs the workflow and returns its error.
func (b *bundle) ended(t *testing.T) error {
	t.Helper()
	b.ExecuteWorkflow(publishing.Post, b.in)
	require.True(t, b.IsWorkflowCompleted())
	return b.GetWorkflowError()
}

func requireFailure(t *testing.T, err error, kind string) {
	t.Helper()
	failure, ok := errors.AsType[*temporal.ApplicationError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, kind, failure.Type())
	require.True(t, failure.NonRetryable())
}

// TestUnknownStatusFails covers a status written by a newer version, whose meaning must not be guessed.
func TestUnknownStatusFails(t *testing.T) {
	t.Parallel()
	b := setup(t, postflow.Plan{Revision: 1, Status: "TRANSLATING"})
	requireFailure(t, b.ended(t), "UnknownStatus")
	require.Empty(t, b.calls)
}

func TestUnknownStepFails(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	b.responses(postflow.ActivityPublish, later("translate", time.Minute))
	requireFailure(t, b.ended(t), "UnknownStep")
	require.Len(t, b.calls, 1)
}

func TestStepErrorFailsWorkflow(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	b.OnActivity(postflow.ActivityPublish, mock.Anything, mock.Anything).Once().
		Return(postflow.Outcome{}, temporal.NewNonRetryableApplicationError("no such post", "NotFound", nil))
	requireFailure(t, b.ended(t), "NotFound")
}

func TestCancellationEndsWait(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Hour))
	b.RegisterDelayedCallback(b.CancelWorkflow, time.Minute)
	require.True(t, temporal.IsCanceledError(b.ended(t)))
	require.Equal(t, time.Minute, b.Now().Sub(start))
	require.Zero(t, ask[postflow.View](t, b, postflow.QueryPost).Attempts)
}

// TestCancellationEndsWaitWithoutTimeLimit covers the waits for a person: an approver, or one who resumes the channel.
func TestCancellationEndsWaitWithoutTimeLimit(t *testing.T) {
	t.Parallel()
	t.Run("approval", func(t *testing.T) {
		t.Parallel()
		b := setup(t, postflow.Plan{Revision: 1, Status: post.PendingApproval})
		b.RegisterDelayedCallback(b.CancelWorkflow, time.Minute)
		require.True(t, temporal.IsCanceledError(b.ended(t)))
		require.Equal(t, time.Minute, b.Now().Sub(start))
		require.Empty(t, b.calls)
	})
	t.Run("pause", func(t *testing.T) {
		t.Parallel()
		b := setup(t, scheduled(1, time.Minute))
		b.responses(postflow.ActivityPublish, paused)
		b.RegisterDelayedCallback(b.CancelWorkflow, time.Hour)
		require.True(t, temporal.IsCanceledError(b.ended(t)))
		require.Len(t, b.calls, 1)
	})
}

// TestCancellationEndsWaitAfterStep checks that no further step is executed, and that the run records no result.
func TestCancellationEndsWaitAfterStep(t *testing.T) {
	t.Parallel()
	for _, next := range []postflow.Next{postflow.NextPublish, postflow.NextSuperseded} {
		t.Run(string(next), func(t *testing.T) {
			t.Parallel()
			b := setup(t, scheduled(1, time.Minute))
			b.responses(postflow.ActivityPublish, later(next, time.Hour))
			b.RegisterDelayedCallback(b.CancelWorkflow, 90*time.Second)
			require.True(t, temporal.IsCanceledError(b.ended(t)))
			require.Equal(t, 1, ask[postflow.View](t, b, postflow.QueryPost).Attempts)
			require.NotContains(t, b.timeline(t), supersededNote)
		})
	}
}

// TestLongHistoryContinuesAsNew checks that the next run gets the newest plan, including one that has just arrived.
func TestLongHistoryContinuesAsNew(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Hour))
	b.SetContinueAsNewSuggested(true)
	b.signal(0, scheduled(2, 2*time.Hour))
	again, ok := errors.AsType[*workflow.ContinueAsNewError](b.ended(t))
	require.True(t, ok)
	var next postflow.Input
	require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(again.Input, &next))
	require.Equal(t, b.in.PostID, next.PostID)
	require.Equal(t, b.in.Network, next.Network)
	require.Equal(t, scheduled(2, 2*time.Hour), next.Plan)
}
