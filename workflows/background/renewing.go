package background

import (
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/flow/postflow"
)

const (
	// sweepTimeout bounds one step of a sweep, which only uses the database.
	sweepTimeout = 5 * time.Minute
	// renewTimeout bounds one try, which waits for another execution's lease and then makes one exchange.
	renewTimeout = 3 * time.Minute
	// pagesPerRun bounds the histories of sweeps.
	pagesPerRun = 20
	// codeReconnect is the type of the error of a renewal that the network refused for good.
	codeReconnect = "CHANNEL_NEEDS_RECONNECT"
)

// RenewalSweep is the workflow started by the schedule. It starts a Renewal for each channel whose renewal is due. A
// channel whose Renewal is still running, because its network is down, keeps it.
func RenewalSweep(ctx workflow.Context, page flow.RenewalsPage) error {
	ctx = bounded(ctx, sweepTimeout, 0)
	return repeat(ctx, pagesPerRun, flow.WorkflowRenewalSweep, &page, func() (step, error) {
		found, err := flow.SweepRenewals(ctx, page)
		if err != nil {
			return step{}, err
		}
		if found.More {
			page.After = found.Due[len(found.Due)-1].ChannelID
		}
		return step{done: !found.More, note: found.Note}, start(ctx, found.Due)
	})
}

// start starts the renewals of a page at once. They outlive the sweep.
func start(ctx workflow.Context, due []flow.RenewalInput) error {
	started := make([]workflow.Future, len(due))
	for i, in := range due {
		child := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
			WorkflowID: flow.RenewalID(in.ChannelID), ParentClosePolicy: enums.PARENT_CLOSE_POLICY_ABANDON,
			StaticSummary: "Renewal of the connection to " + in.Network.Name(),
			TypedSearchAttributes: temporal.NewSearchAttributes(
				postflow.AttrWorkspaceID.ValueSet(in.WorkspaceID.String()),
				postflow.AttrChannelID.ValueSet(in.ChannelID.String()),
				postflow.AttrPlatform.ValueSet(string(in.Network)),
			),
		})
		started[i] = workflow.ExecuteChildWorkflow(child, flow.WorkflowRenewal, in).GetChildWorkflowExecution()
	}
	for _, each := range started {
		if err := each.Get(ctx, nil); err != nil && !temporal.IsWorkflowExecutionAlreadyStartedError(err) {
			return err
		}
	}
	return nil
}

// Renewal is the workflow that renews the credentials of one channel before they end. The activity determines the wait
// before the next try. A renewal that the network refuses for good ends as Failed.
func Renewal(ctx workflow.Context, in flow.RenewalInput) error {
	ctx = bounded(ctx, renewTimeout, 0)
	if err := pause(ctx, in.Delay, "spreads the renewals"); err != nil {
		return err
	}
	in.Delay = 0
	return repeat(ctx, triesPerRun, flow.WorkflowRenewal, &in, func() (step, error) {
		out, err := flow.Renew(ctx, in)
		in.Begun, in.Tries = out.Begun, in.Tries+1
		return step{done: out.Done, refused: refusal(out.Refused, codeReconnect), wait: out.Wait, note: out.Note}, err
	})
}
