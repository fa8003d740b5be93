package publishing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/workflows/publishing"
)

// TestCurrentDetailsAreUpdated checks the details that Temporal shows as the current state of a workflow.
func TestCurrentDetailsAreUpdated(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	b.OnActivity(postflow.ActivityPublish, mock.Anything, mock.Anything).Once().After(time.Minute).
		Return(postflow.Outcome{Next: postflow.NextDone, Status: post.Published, Note: "It is out."}, nil)
	var running workflow.Context
	b.RegisterWorkflowWithOptions(func(ctx workflow.Context, in postflow.Input) (postflow.Result, error) {
		running = ctx
		return publishing.Post(ctx, in)
	}, workflow.RegisterOptions{Name: "watched"})
	details := make(map[time.Duration]string)
	for _, at := range []time.Duration{30 * time.Second, 90 * time.Second} {
		b.RegisterDelayedCallback(func() { details[at] = workflow.GetCurrentDetails(running) }, at)
	}
	b.RegisterDelayedCallback(func() {
		require.Nil(t, ask[postflow.View](t, b, postflow.QueryPost).Waiting, "a step that is taken waits for nothing")
	}, 90*time.Second)
	b.ExecuteWorkflow("watched", b.in)
	require.NoError(t, b.GetWorkflowError())
	require.Contains(t, details[30*time.Second], "Waits for its time.")
	require.Contains(t, details[90*time.Second], "Publish to X")
	require.Contains(t, workflow.GetCurrentDetails(running), "**PUBLISHED**. It is out.\n\n- Goes to: X")
}
