// Package insights contains the workflow that collects the figures of a channel and its posts once a day.
package insights

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow/insightsflow"
)

const (
	// stepTimeout bounds one step: a batch of posts may take one call per post.
	stepTimeout = 3 * time.Minute
	// heartbeatTimeout is the time after which a dead worker is detected.
	heartbeatTimeout = 20 * time.Second
	// stepsPerRun is the number of steps after which a collection continues as a new run, which bounds its history.
	stepsPerRun = 200
)

// Insights is the workflow started by a channel's schedule. Each step queries the channel's network for days or posts.
// The activity determines the next step and the wait before it; recorded figures are stored only in the database.
func Insights(ctx workflow.Context, in insightsflow.Input) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: stepTimeout,
		HeartbeatTimeout:    heartbeatTimeout,
		// Network failures are outcomes, not errors. Only failures of our own database are retried here.
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute},
	})
	for range stepsPerRun {
		out, err := insightsflow.Collect(ctx, in)
		if err != nil {
			return err
		}
		workflow.SetCurrentDetails(ctx, out.Note)
		if out.Done {
			return nil
		}
		in.Step = out.Next
		if err := pause(ctx, out); err != nil {
			return err
		}
	}
	return workflow.NewContinueAsNewError(ctx, insightsflow.Workflow, in)
}

func pause(ctx workflow.Context, out insightsflow.Outcome) error {
	if out.Wait <= 0 {
		return nil
	}
	return workflow.NewTimerWithOptions(ctx, out.Wait, workflow.TimerOptions{Summary: out.Note}).Get(ctx, nil)
}
