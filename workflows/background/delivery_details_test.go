package background_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow"
	"fencepost.internal/workflows/background"
)

// TestCurrentDetailsAreUpdated checks the details that Temporal shows as the current state of a workflow.
func TestCurrentDetailsAreUpdated(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(workflow.Context) error{
		flow.ActivityAttempt: func(ctx workflow.Context) error {
			return background.Delivery(ctx,
				flow.DeliveryInput{})
		},
		flow.ActivityReplay: func(ctx workflow.Context) error {
			return background.Replay(ctx,
				flow.ReplayInput{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := setupDeliveries(t)
			env.RegisterActivityWithOptions(func(flow.ReplayInput) (flow.DeliveryOutcome, error) {
				return flow.DeliveryOutcome{}, nil
			}, activity.RegisterOptions{Name: flow.ActivityReplay})
			env.OnActivity(name, mock.Anything, mock.Anything).Once().Return(flow.DeliveryOutcome{
				Wait: time.Minute, Note: "Waits.",
			}, nil)
			env.OnActivity(name, mock.Anything, mock.Anything).Once().Return(flow.DeliveryOutcome{
				Done: true, Note: "Delivered.",
			}, nil)
			var running workflow.Context
			env.RegisterWorkflowWithOptions(func(ctx workflow.Context) error {
				running = ctx
				return run(ctx)
			}, workflow.RegisterOptions{Name: "watched"})
			var waiting string
			env.RegisterDelayedCallback(func() { waiting = workflow.GetCurrentDetails(running) }, 30*time.Second)
			env.ExecuteWorkflow("watched")
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, "Waits.", waiting)
			require.Equal(t, "Delivered.", workflow.GetCurrentDetails(running))
		})
	}
}
