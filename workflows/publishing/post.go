// Package publishing is the workflow that carries a post from its plan to its end: it waits for approval, waits for the
// time, and then takes the steps of the publish protocol one after another. It only waits and decides what is next; what
// was done is known to the database alone, so its history stays small and hardly ever needs to change.
package publishing

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"socialpub.internal/shared/flow/postflow"
	"socialpub.internal/shared/post"
)

const (
	// stepTimeout bounds one step: preparation, the irrevocable call with the attachments that go with it, and the record of it.
	// It is long, because a slow line may take half an hour for an album; a worker that died is noticed by its heartbeat.
	stepTimeout = 45 * time.Minute
	// heartbeatTimeout is how soon the death of a worker is noticed. Running a step again is always safe.
	heartbeatTimeout = 15 * time.Second
	// handover is how long a workflow whose plan was superseded waits for the newer plan before it ends. The newer plan
	// starts it again if it comes later.
	handover = time.Minute
)

// Post is the workflow post/<id>.
func Post(ctx workflow.Context, in postflow.Input) error {
	return setup(ctx, in).run(ctx)
}

type postRun struct {
	in      postflow.Input
	plan    postflow.Plan // the newest plan heard of
	changes workflow.ReceiveChannel
}

func setup(ctx workflow.Context, in postflow.Input) *postRun {
	return &postRun{in: in, plan: in.Plan, changes: workflow.GetSignalChannel(ctx, postflow.SignalChanged)}
}

func (r *postRun) run(ctx workflow.Context) error {
	r.drain()
	for {
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return r.continueAsNew(ctx)
		}
		acted := r.plan.Revision
		ended, err := r.act(ctx)
		if err != nil {
			return err
		}
		// A change that arrived in the same moment as the end must not be lost with this run.
		if changed := r.drain() || r.plan.Revision > acted; ended && !changed {
			return nil
		}
		if err := r.announce(ctx, r.plan.Status); err != nil {
			return err
		}
	}
}

// act does what the plan asks for and reports whether there is nothing left to do.
func (r *postRun) act(ctx workflow.Context) (ended bool, err error) {
	switch r.plan.Status {
	case post.PendingApproval:
		_, err = r.wait(ctx, time.Time{}, "Waits for an approver's decision.")
		return false, err
	case post.Scheduled:
		changed, err := r.wait(ctx, r.plan.ScheduledAt, "Waits for its time, "+r.plan.ScheduledAt.UTC().Format(time.RFC3339)+".")
		if changed || err != nil {
			return false, err
		}
		return r.publish(ctx)
	case post.Draft, post.Published, post.Failed, post.Archived:
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("Ended: the post is %s; nothing is left to do.", r.plan.Status))
		return true, nil
	default:
		return true, temporal.NewNonRetryableApplicationError(
			fmt.Sprintf("This worker does not know the post status %q; run a newer worker.", r.plan.Status), "UnknownStatus", nil)
	}
}

// publish takes the steps of the publish protocol until the post has reached an end, or its plan changed.
func (r *postRun) publish(ctx workflow.Context) (ended bool, err error) {
	activity := postflow.ActivityPublish
	for {
		out, err := postflow.Run(r.stepContext(ctx, activity), activity, postflow.Step{PostID: r.in.PostID, Revision: r.plan.Revision})
		if err != nil {
			return true, err
		}
		switch out.Next {
		case postflow.NextDone:
			workflow.SetCurrentDetails(ctx, fmt.Sprintf("Ended: %s. %s", out.Status, out.Note))
			return true, r.announce(ctx, out.Status)
		case postflow.NextSuperseded:
			changed, err := r.wait(ctx, workflow.Now(ctx).Add(handover), "Its plan was changed; waits for the new one.")
			return !changed, err
		case postflow.NextPublish:
			activity = postflow.ActivityPublish
		case postflow.NextProcessing:
			activity = postflow.ActivityCheckProcessing
		case postflow.NextReconcile:
			activity = postflow.ActivityReconcile
		default:
			return true, temporal.NewNonRetryableApplicationError(
				fmt.Sprintf("This worker does not know the step %q; run a newer worker.", out.Next), "UnknownStep", nil)
		}
		if changed, err := r.wait(ctx, out.At, out.Note); changed || err != nil {
			return false, err
		}
	}
}

// wait sleeps until the time, or without end when it is zero, and reports whether a newer plan arrived first.
func (r *postRun) wait(ctx workflow.Context, until time.Time, reason string) (changed bool, err error) {
	workflow.SetCurrentDetails(ctx, reason)
	timerContext, cancel := workflow.WithCancel(ctx)
	defer cancel()
	fired := false
	selector := workflow.NewSelector(ctx)
	if !until.IsZero() {
		timer := workflow.NewTimerWithOptions(timerContext, until.Sub(workflow.Now(ctx)), workflow.TimerOptions{Summary: reason})
		selector.AddFuture(timer, func(f workflow.Future) { fired, err = true, f.Get(ctx, nil) })
	}
	selector.AddReceive(r.changes, func(c workflow.ReceiveChannel, _ bool) {
		var plan postflow.Plan
		c.Receive(ctx, &plan)
		changed = r.take(plan) || changed
	})
	for !fired && !changed {
		selector.Select(ctx)
	}
	return changed, err
}

// take keeps a plan if it is newer than the one held; plans arrive more than once and in any order.
func (r *postRun) take(plan postflow.Plan) bool {
	if plan.Revision <= r.plan.Revision {
		return false
	}
	r.plan = plan
	return true
}

// drain takes every plan that has arrived already.
func (r *postRun) drain() (changed bool) {
	var plan postflow.Plan
	for r.changes.ReceiveAsync(&plan) {
		changed = r.take(plan) || changed
		plan = postflow.Plan{}
	}
	return changed
}

// announce keeps the search attributes true, by which an operator finds the post.
func (r *postRun) announce(ctx workflow.Context, status post.Status) error {
	updates := []temporal.SearchAttributeUpdate{postflow.AttrPostStatus.ValueSet(string(status))}
	if status == post.Scheduled {
		updates = append(updates, postflow.AttrScheduledAt.ValueSet(r.plan.ScheduledAt))
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, updates...); err != nil {
		return fmt.Errorf("update search attributes: %w", err)
	}
	return nil
}

func (r *postRun) stepContext(ctx workflow.Context, activity string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: stepTimeout,
		HeartbeatTimeout:    heartbeatTimeout,
		Summary:             activity + " on " + string(r.in.Network),
		// Only what has nothing to do with the network is retried here, above all a database that does not answer.
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 15 * time.Second},
	})
}

func (r *postRun) continueAsNew(ctx workflow.Context) error {
	next := r.in
	next.Plan = r.plan
	err := workflow.NewContinueAsNewError(ctx, Post, next)
	if _, ok := errors.AsType[*workflow.ContinueAsNewError](err); !ok {
		return fmt.Errorf("continue as new: %w", err)
	}
	return err
}
