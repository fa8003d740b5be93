// Package publishing is the workflow that carries a post from its plan to its end: it waits for approval, waits for the
// time, and then takes the steps of the publish protocol one after another. It only waits and decides what is next; what
// was done is known to the database alone, so its history stays small and hardly ever needs to change.
package publishing

import (
	"cmp"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/flow/postflow"
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

	// versionFailed is the change with which a post that ends FAILED fails its workflow; runs of older versions complete.
	versionFailed = "failed-post-fails-workflow"
	// codeUnnamed is the type of the error when the worker of an older version named no code.
	codeUnnamed = "FAILED"
)

// Post is the workflow post/<id>. It fails when the post ends FAILED.
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
	plan    postflow.Plan // the newest plan heard of
	changes []workflow.ReceiveChannel
	steps   map[string]int // how often each step was taken under the present plan
	waiting *postflow.Waiting
	outcome postflow.Outcome // of the last step
	result  postflow.Result
	story   story
}

func setup(ctx workflow.Context, in postflow.Input) (*postRun, error) {
	r := &postRun{in: in, plan: in.Plan, steps: make(map[string]int)}
	for _, s := range postflow.Signals() {
		r.changes = append(r.changes, workflow.GetSignalChannelWithOptions(ctx, string(s), workflow.SignalChannelOptions{Description: s.Description()}))
	}
	return r, r.answerQueries(ctx)
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
		r.drain(ctx) // a change that arrived in the same moment as the end must not be lost with this run
		if r.plan.Revision == acted {
			return r.failure(ctx)
		}
		if err := r.announce(ctx, r.plan.Status); err != nil {
			return err
		}
	}
}

// failure is the error that the workflow ends with when the post is FAILED.
func (r *postRun) failure(ctx workflow.Context) error {
	if r.outcome.Next != postflow.NextDone || r.outcome.Status != post.Failed ||
		workflow.GetVersion(ctx, versionFailed, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return nil
	}
	return temporal.NewNonRetryableApplicationError(r.outcome.Note, cmp.Or(r.outcome.Code, codeUnnamed), nil)
}

// act does what the plan asks for, until nothing is left to do or a newer plan has arrived.
func (r *postRun) act(ctx workflow.Context) error {
	r.outcome, r.result = postflow.Outcome{}, postflow.Result{}
	switch r.plan.Status {
	case post.PendingApproval:
		_, err := r.wait(ctx, pause{why: "Waits for an approver's decision."})
		return err
	case post.Scheduled:
		changed, err := r.wait(ctx, pause{why: "Waits for its time.", until: r.plan.ScheduledAt})
		if changed || err != nil {
			return err
		}
		return r.publish(ctx)
	case post.Draft, post.Published, post.Failed, post.Archived:
		r.end(ctx, postflow.Result{Status: r.plan.Status, Note: unplanned(r.plan)})
		return nil
	default:
		return temporal.NewNonRetryableApplicationError(
			fmt.Sprintf("This worker does not know the post status %q; run a newer worker.", r.plan.Status), "UnknownStatus", nil)
	}
}

// publish takes the steps of the publish protocol until the post has reached an end, or its plan changed.
func (r *postRun) publish(ctx workflow.Context) error {
	clear(r.steps)
	activity := postflow.ActivityPublish
	for {
		out, err := r.step(ctx, activity)
		if err != nil {
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

// superseded waits for the plan that replaced the one that was acted on.
func (r *postRun) superseded(ctx workflow.Context) error {
	changed, err := r.wait(ctx, pause{why: "The plan of the post changed. Waits for the new plan.", until: workflow.Now(ctx).Add(handover)})
	if err == nil && !changed {
		r.end(ctx, postflow.Result{Status: r.plan.Status, Note: "The plan of the post changed. The new plan starts another run."})
	}
	return err
}

// step takes one step of the publish protocol.
func (r *postRun) step(ctx workflow.Context, activity string) (postflow.Outcome, error) {
	r.steps[activity]++
	workflow.SetCurrentDetails(ctx, standing(r.plan.Status, stepWords(activity, r.in.Target(), r.steps[activity])+"."))
	out, err := postflow.Run(r.stepContext(ctx, activity), activity, postflow.Step{PostID: r.in.PostID, Revision: r.plan.Revision})
	r.outcome = out
	return out, err
}

// end keeps how the run ends, for its result and for who looks at it.
func (r *postRun) end(ctx workflow.Context, result postflow.Result) {
	r.result, r.waiting = result, nil
	r.story.add(workflow.Now(ctx), result.Note, time.Time{})
	workflow.SetCurrentDetails(ctx, endDetails(r.in, result, r.outcome.Code))
}

// wait sleeps until the time of the pause, or without end when it has none, and reports whether a newer plan arrived first.
func (r *postRun) wait(ctx workflow.Context, p pause) (changed bool, err error) {
	r.waiting = p.waiting()
	r.story.add(workflow.Now(ctx), p.why, p.until)
	workflow.SetCurrentDetails(ctx, p.details(r.in, r.plan.Status))
	timerContext, cancel := workflow.WithCancel(ctx)
	defer cancel()
	fired := false
	selector := workflow.NewSelector(ctx)
	if !p.until.IsZero() {
		timer := workflow.NewTimerWithOptions(timerContext, p.until.Sub(workflow.Now(ctx)), workflow.TimerOptions{Summary: p.summary(r.in)})
		selector.AddFuture(timer, func(f workflow.Future) { fired, err = true, f.Get(ctx, nil) })
	}
	for _, c := range r.changes {
		selector.AddReceive(c, func(c workflow.ReceiveChannel, _ bool) {
			var plan postflow.Plan
			c.Receive(ctx, &plan)
			changed = r.take(ctx, c.Name(), plan)
		})
	}
	for !fired && !changed {
		selector.Select(ctx)
	}
	r.waiting = nil
	return changed, err
}

// take keeps a plan if it is newer than the one held; plans arrive more than once and in any order.
func (r *postRun) take(ctx workflow.Context, signal string, plan postflow.Plan) bool {
	if plan.Revision <= r.plan.Revision {
		return false
	}
	r.plan = plan
	r.story.add(workflow.Now(ctx), postflow.Signal(signal).Description(), time.Time{})
	return true
}

// drain takes every plan that has arrived already.
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
		Summary:             clip(stepWords(activity, r.in.Target(), r.steps[activity])),
		// Only what has nothing to do with the network is retried here, above all a database that does not answer.
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 15 * time.Second},
	})
}

func (r *postRun) continueAsNew(ctx workflow.Context) error {
	next := r.in
	next.Plan = r.plan
	return workflow.NewContinueAsNewError(ctx, Post, next)
}
