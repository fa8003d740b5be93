package background

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow"
)

// remindTimeout bounds the activity, which writes one transaction.
const remindTimeout = time.Minute

// Followup is the workflow that waits for the follow-up of a lead, and then reminds its owner. A newer plan replaces the one that it
// waits for. The activity decides whether a reminder is still due: it may find that the follow-up was moved, and the workflow waits
// again.
func Followup(ctx workflow.Context, in flow.FollowupInput) error {
	ctx = bounded(ctx, remindTimeout, 0)
	plans := workflow.GetSignalChannelWithOptions(ctx, flow.SignalFollowup,
		workflow.SignalChannelOptions{Description: "The follow-up of the lead changed."})
	for range triesPerRun {
		if !awaitFollowup(ctx, plans, &in) {
			continue // a newer plan arrived
		}
		if in.At.IsZero() {
			workflow.SetCurrentDetails(ctx, "No follow-up is planned.")
			return nil
		}
		out, err := flow.Remind(ctx, in)
		if err != nil {
			return err
		}
		workflow.SetCurrentDetails(ctx, out.Note)
		in.At = out.At
		if !newerPlan(plans, &in) && in.At.IsZero() { // a plan that arrives at the end must not be lost
			return nil
		}
	}
	for newerPlan(plans, &in) {
	}
	return workflow.NewContinueAsNewError(ctx, flow.WorkflowFollowup, in)
}

// awaitFollowup waits until the time of the plan, and reports whether no newer plan arrived before.
func awaitFollowup(ctx workflow.Context, plans workflow.ReceiveChannel, in *flow.FollowupInput) (due bool) {
	for newerPlan(plans, in) {
	}
	wait := in.At.Sub(workflow.Now(ctx))
	if in.At.IsZero() || wait <= 0 {
		return true
	}
	timed, cancel := workflow.WithCancel(ctx)
	defer cancel()
	timer := workflow.NewTimerWithOptions(timed, wait, workflow.TimerOptions{Summary: "Waits for the follow-up."})
	newer := false
	selector := workflow.NewSelector(ctx)
	selector.AddFuture(timer, func(workflow.Future) { due = true })
	selector.AddReceive(plans, func(c workflow.ReceiveChannel, _ bool) { newer = newerPlan(c, in) || newer })
	for !due && !newer {
		selector.Select(ctx)
	}
	return due && !newer
}

// newerPlan takes the next plan that has arrived, and reports whether there was one. Plans may arrive repeatedly and in any order.
func newerPlan(plans workflow.ReceiveChannel, in *flow.FollowupInput) bool {
	var plan flow.FollowupInput
	if !plans.ReceiveAsync(&plan) {
		return false
	}
	if plan.Revision > in.Revision {
		in.Revision, in.At = plan.Revision, plan.At
	}
	return true
}
