package delivery_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow/deliveryflow"
	"fencepost.internal/workflows/delivery"
)

// TestCurrentDetailsAreUpdated checks the details that Temporal shows as the current state of a workflow.
func TestCurrentDetailsAreUpdated(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(workflow.Context) error{
		deliveryflow.ActivityAttempt: func(ctx workflow.Context) error {
			return delivery.Delivery(ctx,
				deliveryflow.Input{})
		},
		deliveryflow.ActivityReplay: func(ctx workflow.Context) error {
			return delivery.Replay(ctx,
				deliveryflow.ReplayInput{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := setup(t)
			env.RegisterActivityWithOptions(func(deliveryflow.ReplayInput) (deliveryflow.Outcome, error) {
				return deliveryflow.Outcome{}, nil
			}, activity.RegisterOptions{Name: deliveryflow.ActivityReplay})
			env.OnActivity(name, mock.Anything, mock.Anything).Once().Return(deliveryflow.Outcome{
				Wait: time.Minute, Note: "Waits.",
			}, nil)
			env.OnActivity(name, mock.Anything, mock.Anything).Once().Return(deliveryflow.Outcome{
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
