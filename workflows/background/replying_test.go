package background_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/background"
)

// answered runs the workflow of an answer whose steps have the given outcomes. It returns the times of the steps.
func replied(t *testing.T, outcomes ...flow.ReplyOutcome) (*testsuite.TestWorkflowEnvironment, []time.Duration) {
	t.Helper()
	env := environment()
	env.RegisterWorkflowWithOptions(background.Reply, workflow.RegisterOptions{Name: flow.WorkflowReply})
	env.RegisterActivityWithOptions(func(flow.ReplyInput) (flow.ReplyOutcome, error) {
		return flow.ReplyOutcome{}, errors.New("not scripted")
	}, activity.RegisterOptions{Name: flow.ActivitySendReply})
	var at []time.Duration
	env.OnActivity(flow.ActivitySendReply, mock.Anything, mock.Anything).Return(
		func(in flow.ReplyInput) (flow.ReplyOutcome, error) {
			require.Equal(t, len(at), in.Tries)
			at = append(at, env.Now().Sub(start))
			return outcomes[len(at)-1], nil
		})
	env.ExecuteWorkflow(background.Reply, flow.ReplyInput{MessageID: ident.New[ident.Message](), Network: "telegram"})
	return env, at
}

func TestRepliesAreTriedAfterWaits(t *testing.T) {
	t.Parallel()
	env, at := replied(t, flow.ReplyOutcome{Wait: 2 * time.Second}, flow.ReplyOutcome{Wait: time.Minute}, flow.ReplyOutcome{Done: true})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []time.Duration{0, 2 * time.Second, 62 * time.Second}, at)
}

// TestRefusedReplyFailsWorkflow checks that operators find it among the failed workflows.
func TestRefusedReplyFailsWorkflow(t *testing.T) {
	t.Parallel()
	env, at := replied(t, flow.ReplyOutcome{Done: true, Refused: true, Note: "The time to answer was over."})
	refused, ok := errors.AsType[*temporal.ApplicationError](env.GetWorkflowError())
	require.True(t, ok, "%v", env.GetWorkflowError())
	require.Equal(t, "REPLY_NOT_SENT", refused.Type())
	require.Len(t, at, 1)
}
