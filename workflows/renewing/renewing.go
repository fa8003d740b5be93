// Package renewing contains the workflows that renew the credentials of channels before they end: a sweep, started by a
// schedule, and one workflow per channel whose renewal is due.
package renewing

import (
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/flow/renewflow"
)

const (
	// sweepTimeout bounds one step of a sweep, which only uses the database.
	sweepTimeout = 5 * time.Minute
	// renewTimeout bounds one try, which waits for another execution's lease and then makes one exchange.
	renewTimeout = 3 * time.Minute
	// pagesPerRun and triesPerRun bound the histories.
	pagesPerRun = 20
	triesPerRun = 100

	// codeRefused is the type of the error of a renewal that the network refused for good.
	codeRefused = "CHANNEL_NEEDS_RECONNECT"
)

// retries returns the retry policy of the activities. A failure of a network is an outcome, not an error, so that only
// failures of the database are retried here.
func retries() *temporal.RetryPolicy {
	return &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute}
}

// Sweep is the workflow started by the schedule. It starts a Renewal for each channel whose renewal is due. A channel
// whose Renewal is still running, because its network is down, keeps it.
func Sweep(ctx workflow.Context, page renewflow.Page) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: sweepTimeout, RetryPolicy: retries(),
	})
	for range pagesPerRun {
		found, err := renewflow.Sweep(ctx, page)
		if err != nil {
			return err
		}
		workflow.SetCurrentDetails(ctx, found.Note)
		if err := start(ctx, found.Due); err != nil {
			return err
		}
		if !found.More {
			return nil
		}
		page.After = found.Due[len(found.Due)-1].ChannelID
	}
	return workflow.NewContinueAsNewError(ctx, renewflow.WorkflowSweep, page)
}

// start starts the renewals of a page at once. They outlive the sweep.
func start(ctx workflow.Context, due []renewflow.Input) error {
	started := make([]workflow.Future, len(due))
	for i, in := range due {
		child := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
			WorkflowID: renewflow.ID(in.ChannelID), ParentClosePolicy: enums.PARENT_CLOSE_POLICY_ABANDON,
			StaticSummary: "Renewal of the connection to " + in.Network.Name(),
			TypedSearchAttributes: temporal.NewSearchAttributes(
				postflow.AttrWorkspaceID.ValueSet(in.WorkspaceID.String()),
				postflow.AttrChannelID.ValueSet(in.ChannelID.String()),
				postflow.AttrPlatform.ValueSet(string(in.Network)),
			),
		})
		started[i] = workflow.ExecuteChildWorkflow(child, renewflow.Workflow, in).GetChildWorkflowExecution()
	}
	for _, each := range started {
		if err := each.Get(ctx, nil); err != nil && !temporal.IsWorkflowExecutionAlreadyStartedError(err) {
			return err
		}
	}
	return nil
}

// Renewal is the workflow that renews the credentials of one channel. The activity determines the wait before the next
// try. A renewal that the network refuses for good ends as Failed.
func Renewal(ctx workflow.Context, in renewflow.Input) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: renewTimeout, RetryPolicy: retries(),
	})
	if err := pause(ctx, in.Delay, "spreads the renewals"); err != nil {
		return err
	}
	in.Delay = 0
	for range triesPerRun {
		out, err := renewflow.Renew(ctx, in)
		if err != nil {
			return err
		}
		workflow.SetCurrentDetails(ctx, out.Note)
		switch {
		case out.Refused:
			return temporal.NewNonRetryableApplicationError(out.Note, codeRefused, nil)
		case out.Done:
			return nil
		}
		in.Begun, in.Tries = out.Begun, in.Tries+1
		if err := pause(ctx, out.Wait, out.Note); err != nil {
			return err
		}
	}
	return workflow.NewContinueAsNewError(ctx, renewflow.Workflow, in)
}

func pause(ctx workflow.Context, wait time.Duration, reason string) error {
	if wait <= 0 {
		return nil
	}
	return workflow.NewTimerWithOptions(ctx, wait, workflow.TimerOptions{Summary: reason}).Get(ctx, nil)
}
