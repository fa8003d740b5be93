// Package insights has the workflow that collects how a channel and its posts do, once a day.
package insights

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"socialpub.internal/shared/flow/insightsflow"
)

const (
	// stepTimeout bounds one step: a batch of posts may take one call for each of them.
	stepTimeout = 3 * time.Minute
	// heartbeatTimeout is how soon it is noticed that a worker died.
	heartbeatTimeout = 20 * time.Second
	// stepsPerRun is after how many steps a collection goes on in a new run, so that no history becomes long.
	stepsPerRun = 200
)

// Insights is the workflow that a channel's schedule starts. Step after step asks the channel's network for days and posts; the
// activity decides what is next and how long to wait for it, and what has been recorded is known to the database alone.
func Insights(ctx workflow.Context, in insightsflow.Input) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: stepTimeout,
		HeartbeatTimeout:    heartbeatTimeout,
		// What the network does is an outcome, not an error; only our own database's silence is retried here.
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
