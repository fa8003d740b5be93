// Package publishing contains the workflow that takes a post from its plan to a final state: it waits for approval,
// waits for the publish time, and then executes the steps of the publish protocol. It only waits and selects the next
// step. Completed work is recorded only in the database, so the workflow history stays small and the workflow rarely
// changes.
package publishing

import (
	"cmp"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
)

const (
	// stepTimeout bounds one step: preparation, the irrevocable call with its attachments, and the record of the
	// result. It is long, because an album may take half an hour on a slow connection; a dead worker is detected by its
	// missing heartbeats.
	stepTimeout = 45 * time.Minute
	// heartbeatTimeout is the time after which a dead worker is detected. Repeating a step is always safe.
	heartbeatTimeout = 15 * time.Second
	// handover is the time for which a workflow waits for the newer plan before it ends, after its plan was superseded.
	// If the newer plan arrives later, it starts the workflow again.
	handover = time.Minute

	waitsForTime = "Waits for its time."

	// versionFailed is the change after which the workflow of a post that ends FAILED fails; runs of older versions
	// complete.
	versionFailed = "failed-post-fails-workflow"
	// versionCanceled is the change after which a wait without a time limit ends when the workflow is canceled; in runs of
	// older versions it ends only with a newer plan.
	versionCanceled = "untimed-wait-ends-when-canceled"
	// codeUnnamed is the error type if the worker of an older version returned no code.
	codeUnnamed = "FAILED"
)

// Post is the workflow post/<id>. It fails if the post ends FAILED.
func Post(ctx workflow.Context, in postflow.Input) (postflow.Result, error) {
	r, err := setup(ctx, in)
	if err != nil {
		return postflow.Result{}, err
	}
	err = r.run(ctx)
	return r.result, err
}

type postRun struct {
	in      postflow.Input
	plan    postflow.Plan // the newest plan received
	changes []workflow.ReceiveChannel
	steps   map[string]int // executions of each step under the current plan
	waiting *postflow.Waiting
	outcome postflow.Outcome // of the last step
	result  postflow.Result
	story   story
}

func setup(ctx workflow.Context, in postflow.Input) (*postRun, error) {
	r := &postRun{in: in, plan: in.Plan, steps: make(map[string]int)}
	for _, s := range postflow.Signals() {
		r.changes = append(r.changes, workflow.GetSignalChannelWithOptions(ctx, string(s),
			workflow.SignalChannelOptions{Description: s.Description()}))
	}
	return r, r.respondToQueries(ctx)
}

func (r *postRun) run(ctx workflow.Context) error {
	r.drain(ctx)
	for {
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return r.continueAsNew(ctx)
		}
		acted := r.plan.Revision
		if err := r.act(ctx); err != nil {
			return err
		}
		r.drain(ctx) // a change that arrives at the end of this run must not be lost
		if r.plan.Revision == acted {
			return r.failure(ctx)
		}
		if err := r.announce(ctx, r.plan.Status); err != nil {
			return err
		}
	}
}

// failure returns the workflow's error for a post that is FAILED.
func (r *postRun) failure(ctx workflow.Context) error {
	if r.outcome.Next != postflow.NextDone || r.outcome.Status != post.Failed ||
		workflow.GetVersion(ctx, versionFailed, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return nil
	}
	return temporal.NewNonRetryableApplicationError(r.outcome.Note, cmp.Or(r.outcome.Code, codeUnnamed), nil)
}

// act executes the plan until it is completed or a newer plan has arrived.
func (r *postRun) act(ctx workflow.Context) error {
	r.outcome, r.result = postflow.Outcome{}, postflow.Result{}
	switch r.plan.Status {
	case post.PendingApproval:
		_, err := r.wait(ctx, pause{why: "Waits for an approver's decision."})
		return err
	case post.Scheduled:
		changed, err := r.wait(ctx, pause{why: waitsForTime, until: r.plan.ScheduledAt, wake: r.plan.HoldFrom})
		if changed || err != nil {
			return err
		}
		return r.publish(ctx)
	case post.Draft, post.Published, post.Failed, post.Archived:
		r.end(ctx, postflow.Result{Status: r.plan.Status, Note: unplanned(r.plan)})
		return nil
	default:
		return temporal.NewNonRetryableApplicationError(
			fmt.Sprintf("This worker does not know the post status %q; run a newer worker.", r.plan.Status), "UnknownStatus",
			nil)
	}
}

// publish executes the steps of the publish protocol until the post reaches a final state or its plan changes.
func (r *postRun) publish(ctx workflow.Context) error {
	clear(r.steps)
	activity := postflow.ActivityPublish
	for {
		out, changed, err := r.step(ctx, activity)
		if changed || err != nil {
			return err
		}
		switch out.Next {
		case postflow.NextDone:
			r.end(ctx, postflow.Result{Status: out.Status, URL: out.URL, Note: out.Note})
			return r.announce(ctx, out.Status)
		case postflow.NextSuperseded:
			return r.superseded(ctx)
		case postflow.NextPublish:
			activity = postflow.ActivityPublish
		case postflow.NextProcessing:
			activity = postflow.ActivityCheckProcessing
		case postflow.NextReconcile:
			activity = postflow.ActivityReconcile
		default:
			return temporal.NewNonRetryableApplicationError(
				fmt.Sprintf("This worker does not know the step %q; run a newer worker.", out.Next), "UnknownStep", nil)
		}
		next := pause{why: out.Note, until: out.At, deadline: out.Deadline, next: activity, try: r.steps[activity] + 1}
		if changed, err := r.wait(ctx, next); changed || err != nil {
			return err
		}
	}
}

// superseded waits for the plan that replaced the current one.
func (r *postRun) superseded(ctx workflow.Context) error {
	changed, err := r.wait(ctx, pause{
		why: "The plan of the post changed. Waits for the new plan.", until: workflow.Now(ctx).Add(handover),
	})
	if err == nil && !changed {
		r.end(ctx, postflow.Result{
			Status: r.plan.Status, Note: "The plan of the post changed. The new plan starts another run.",
		})
	}
	return err
}

// step executes one step of the publish protocol. It reports whether a newer plan arrived while a worker held the step
// for its time.
func (r *postRun) step(ctx workflow.Context, activity string) (out postflow.Outcome, changed bool, err error) {
	r.steps[activity]++
	step := postflow.Step{PostID: r.in.PostID, Revision: r.plan.Revision, WorkspaceID: r.in.WorkspaceID}
	if r.plan.Holds(workflow.Now(ctx)) {
		return r.held(ctx, activity, step)
	}
	workflow.SetCurrentDetails(ctx, standing(r.plan.Status, stepWords(activity, r.in.Target(), r.steps[activity])+"."))
	err = postflow.Start(r.stepContext(ctx, activity), activity, step).Get(ctx, &out)
	r.outcome = out
	return out, false, err
}

// held executes a step that a worker holds until the post is due. A newer plan abandons the step while it is held. Its
// worker may hold it further, but its claim will find the newer revision.
func (r *postRun) held(
	ctx workflow.Context, activity string, step postflow.Step,
) (out postflow.Outcome, changed bool, err error) {
	step.HoldUntil = r.plan.ScheduledAt
	r.waiting = pause{why: waitsForTime, until: step.HoldUntil}.waiting()
	defer func() { r.waiting = nil }()
	stepContext, abandon := workflow.WithCancel(r.stepContext(ctx, activity))
	defer abandon()
	result := postflow.Start(stepContext, activity, step)
	if r.await(ctx, result, step.HoldUntil) {
		r.steps[activity]--
		return postflow.Outcome{}, true, nil
	}
	err = result.Get(ctx, &out)
	r.outcome = out
	return out, false, err
}

// end stores the result of the run and shows it to operators.
func (r *postRun) end(ctx workflow.Context, result postflow.Result) {
	r.result, r.waiting = result, nil
	r.story.add(workflow.Now(ctx), result.Note, time.Time{})
	workflow.SetCurrentDetails(ctx, endDetails(r.in, result, r.outcome.Code))
}

// wait sleeps until the time of the pause, or without a time limit if it has none, and reports whether a newer plan
// arrived first.
func (r *postRun) wait(ctx workflow.Context, p pause) (changed bool, err error) {
	r.waiting = p.waiting()
	r.story.add(workflow.Now(ctx), p.why, p.until)
	workflow.SetCurrentDetails(ctx, p.details(r.in, r.plan.Status))
	timerContext, cancel := workflow.WithCancel(ctx)
	defer cancel()
	var timer workflow.Future
	if !p.until.IsZero() {
		timer = workflow.NewTimerWithOptions(timerContext, p.end().Sub(workflow.Now(ctx)),
			workflow.TimerOptions{Summary: p.summary(r.in)})
	}
	if timer == nil && workflow.GetVersion(ctx, versionCanceled, workflow.DefaultVersion, 1) != workflow.DefaultVersion {
		timer = canceled(timerContext)
	}
	changed = r.await(ctx, timer, time.Time{})
	r.waiting = nil
	if !changed { // a pause without a time limit ends only with a newer plan, or canceled
		err = timer.Get(ctx, nil)
	}
	return changed, err
}

// canceled returns a future that fails when the context is canceled.
func canceled(ctx workflow.Context) workflow.Future {
	future, set := workflow.NewFuture(ctx)
	workflow.Go(ctx, func(ctx workflow.Context) {
		ctx.Done().Receive(ctx, nil)
		set.SetError(ctx.Err())
	})
	return future
}

// await waits until the future is ready and reports whether a newer plan arrived first. It takes no plan from the given
// time on, if any: a plan that arrives later waits for the future. A nil future is never ready.
func (r *postRun) await(ctx workflow.Context, future workflow.Future, until time.Time) (changed bool) {
	ready := false
	selector := workflow.NewSelector(ctx)
	if future != nil {
		selector.AddFuture(future, func(workflow.Future) { ready = true })
	}
	for _, c := range r.changes {
		selector.AddReceive(c, func(c workflow.ReceiveChannel, _ bool) {
			if !until.IsZero() && !workflow.Now(ctx).Before(until) {
				ready = true // the plan remains in the channel
				return
			}
			var plan postflow.Plan
			c.Receive(ctx, &plan)
			changed = r.take(ctx, c.Name(), plan)
		})
	}
	for !ready && !changed {
		selector.Select(ctx)
	}
	return changed
}

// take stores a plan if it is newer than the current one; plans may arrive repeatedly and in any order.
func (r *postRun) take(ctx workflow.Context, signal string, plan postflow.Plan) bool {
	if plan.Revision <= r.plan.Revision {
		return false
	}
	r.plan = plan
	r.story.add(workflow.Now(ctx), postflow.Signal(signal).Description(), time.Time{})
	return true
}

// drain takes every plan that has already arrived.
func (r *postRun) drain(ctx workflow.Context) {
	for _, c := range r.changes {
		for {
			var plan postflow.Plan
			if !c.ReceiveAsync(&plan) {
				break
			}
			r.take(ctx, c.Name(), plan)
		}
	}
}

// announce updates the search attributes by which operators find the post.
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
		Summary:             clip(stepWords(activity, r.in.Target(), r.steps[activity])),
		// A step is due work, whatever the priority with which the workflow waited for its time.
		Priority: temporal.Priority{PriorityKey: postflow.PriorityDue},
		// Only failures unrelated to the network are retried here, mainly an unavailable database.
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 15 * time.Second,
		},
	})
}

func (r *postRun) continueAsNew(ctx workflow.Context) error {
	next := r.in
	next.Plan = r.plan
	return workflow.NewContinueAsNewError(ctx, Post, next)
}
