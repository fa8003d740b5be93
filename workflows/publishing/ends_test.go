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

	"socialpub.internal/shared/flow/postflow"
	"socialpub.internal/workflows/publishing"
)

// ended runs the workflow and returns the error it ended with.
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

// A newer version may have written what this one does not know; it must not be guessed at.
func TestAnUnknownStatusFails(t *testing.T) {
	t.Parallel()
	b := setup(t, postflow.Plan{Revision: 1, Status: "TRANSLATING"})
	requireFailure(t, b.ended(t), "UnknownStatus")
	require.Empty(t, b.calls)
}

func TestAnUnknownStepFails(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	b.answers(postflow.ActivityPublish, later("translate", time.Minute))
	requireFailure(t, b.ended(t), "UnknownStep")
	require.Len(t, b.calls, 1)
}

func TestAFaultOfAStepEndsIt(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	b.OnActivity(postflow.ActivityPublish, mock.Anything, mock.Anything).Once().
		Return(postflow.Outcome{}, temporal.NewNonRetryableApplicationError("no such post", "NotFound", nil))
	requireFailure(t, b.ended(t), "NotFound")
}

func TestCancellationEndsTheWait(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Hour))
	b.RegisterDelayedCallback(b.CancelWorkflow, time.Minute)
	require.True(t, temporal.IsCanceledError(b.ended(t)))
	require.Equal(t, time.Minute, b.Now().Sub(start))
	require.Zero(t, ask[postflow.View](t, b, postflow.QueryPost).Attempts)
}

// TestCancellationEndsAWaitAfterAStep takes no further step, and the run has no end of its own.
func TestCancellationEndsAWaitAfterAStep(t *testing.T) {
	t.Parallel()
	for _, next := range []postflow.Next{postflow.NextPublish, postflow.NextSuperseded} {
		t.Run(string(next), func(t *testing.T) {
			t.Parallel()
			b := setup(t, scheduled(1, time.Minute))
			b.answers(postflow.ActivityPublish, later(next, time.Hour))
			b.RegisterDelayedCallback(b.CancelWorkflow, 90*time.Second)
			require.True(t, temporal.IsCanceledError(b.ended(t)))
			require.Equal(t, 1, ask[postflow.View](t, b, postflow.QueryPost).Attempts)
			require.NotContains(t, b.told(t), supersededNote)
		})
	}
}

// TestALongHistoryIsContinued: the next run takes the newest plan along, also one that has only just arrived.
func TestALongHistoryIsContinued(t *testing.T) {
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
