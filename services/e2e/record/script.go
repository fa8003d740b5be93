package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/background"
	"fencepost.internal/workflows/publishing"
)

// far is a wait that does not end during a recording.
const far = 1000 * time.Hour

// responses scripts activities: each call for a post or delivery returns its next outcome. The last one is repeated.
type responses struct {
	mu       sync.Mutex
	steps    map[ident.Post][]postflow.Outcome
	attempts map[string][]flow.DeliveryOutcome // of deliveries and replays, by workflow id
	files    map[ident.Media]fate

	collections map[ident.Channel][]flow.InsightsOutcome
	pages       map[ident.Channel]flow.RenewalsFound // of sweeps of renewals, by the channel before them
	renewals    map[ident.Channel][]flow.RenewalOutcome
	mails       map[ident.Mail][]flow.MailOutcome
}

func newResponses() *responses {
	return &responses{
		steps: make(map[ident.Post][]postflow.Outcome), attempts: make(map[string][]flow.DeliveryOutcome),
		files: make(map[ident.Media]fate), collections: make(map[ident.Channel][]flow.InsightsOutcome),
		pages: make(map[ident.Channel]flow.RenewalsFound), renewals: make(map[ident.Channel][]flow.RenewalOutcome),
		mails: make(map[ident.Mail][]flow.MailOutcome),
	}
}

// hang marks an activity that does not return: it is running when the history is saved.
const hang postflow.Next = "hang"

func (a *responses) step(ctx context.Context, s postflow.Step) (postflow.Outcome, error) {
	a.mu.Lock()
	remaining := a.steps[s.PostID]
	next := remaining[0]
	if len(remaining) > 1 {
		a.steps[s.PostID] = remaining[1:]
	}
	a.mu.Unlock()
	if next.Next == hang {
		<-ctx.Done()
		return postflow.Outcome{}, ctx.Err()
	}
	if !next.At.IsZero() {
		next.At = time.Now().Add(time.Until(next.At))
	}
	return next, nil
}

func (a *responses) attempt(_ context.Context, in flow.DeliveryInput) (flow.DeliveryOutcome, error) {
	return a.outcome(in.ID()), nil
}

func (a *responses) replay(_ context.Context, in flow.ReplayInput) (flow.DeliveryOutcome, error) {
	return a.outcome(in.ID()), nil
}

func (a *responses) outcome(id string) flow.DeliveryOutcome {
	a.mu.Lock()
	defer a.mu.Unlock()
	remaining := a.attempts[id]
	if len(remaining) > 1 {
		a.attempts[id] = remaining[1:]
	}
	return remaining[0]
}

// serve runs the real workflows with the scripted activities.
func (a *responses) serve(c client.Client) (stop func(), err error) {
	steps := worker.New(c, postflow.Queue(channel.NetworkThreads), worker.Options{})
	steps.RegisterWorkflowWithOptions(publishing.Post, workflow.RegisterOptions{Name: postflow.Workflow})
	for _, name := range []string{postflow.ActivityPublish, postflow.ActivityCheckProcessing, postflow.ActivityReconcile} {
		steps.RegisterActivityWithOptions(a.step, activity.RegisterOptions{Name: name})
	}
	attempts := worker.New(c, flow.QueueDeliveries, worker.Options{})
	attempts.RegisterWorkflowWithOptions(background.Delivery, workflow.RegisterOptions{Name: flow.WorkflowDelivery})
	attempts.RegisterWorkflowWithOptions(background.Replay, workflow.RegisterOptions{Name: flow.WorkflowReplay})
	attempts.RegisterActivityWithOptions(a.replay, activity.RegisterOptions{Name: flow.ActivityReplay})
	attempts.RegisterActivityWithOptions(a.attempt, activity.RegisterOptions{Name: flow.ActivityAttempt})
	all := []worker.Worker{steps, attempts, a.filesWorker(c), a.insightsWorker(c), a.renewalsWorker(c), a.mailsWorker(c)}
	for _, w := range all {
		err = errors.Join(err, w.Start())
	}
	return func() {
		for _, w := range all {
			w.Stop()
		}
	}, err
}

func (a *responses) posts() []recording { //nolint:funlen // a table of scenarios
	done := postflow.Outcome{
		Next: postflow.NextDone, Status: post.Published, URL: "https://network.test/1",
		Note: "Published at https://network.test/1",
	}
	failed := postflow.Outcome{
		Next: postflow.NextDone, Status: post.Failed, Code: "CONTENT_REFUSED", Note: "Threads refused the post.",
	}
	wait := func(next postflow.Next, d time.Duration) postflow.Outcome {
		return postflow.Outcome{Next: next, At: time.Now().Add(d), Deadline: time.Now().Add(far), Note: "waits"}
	}
	hold := wait(postflow.NextPublish, far) // until the channel is connected again
	hold.Deadline = hold.At
	disconnected := postflow.Outcome{
		Next: postflow.NextDone, Status: post.Failed, Code: "CHANNEL_NEEDS_RECONNECT", Note: "The channel is disconnected.",
	}
	pending := postflow.Plan{Revision: 1, Status: post.PendingApproval, Signal: postflow.SignalApprovalRequested}
	at := func(revision int, d time.Duration) postflow.Plan {
		signal := postflow.SignalScheduled
		if revision > 1 {
			signal = postflow.SignalRescheduled
		}
		return postflow.Plan{Revision: revision, Status: post.Scheduled, ScheduledAt: time.Now().Add(d).UTC(), Signal: signal}
	}
	named := func(plan postflow.Plan, signal postflow.Signal) postflow.Plan {
		plan.Signal = signal
		return plan
	}
	held := func(d time.Duration) postflow.Plan { // the first step starts at once and is held
		plan := at(1, d)
		plan.HoldFrom = time.Now().UTC()
		return plan
	}
	draft := postflow.Plan{Revision: 2, Status: post.Draft, Signal: postflow.SignalUnscheduled}
	return []recording{
		a.postRecording("published", false, at(1, time.Second), nil, done),
		a.postRecording("failed", false, at(1, time.Second), nil, failed),
		a.postRecording("failed_after_retry", false, at(1, time.Second), nil, wait(postflow.NextPublish, time.Second),
			failed),
		a.postRecording("failed_after_processing", false, at(1, time.Second), nil, wait(postflow.NextProcessing, time.Second),
			failed),
		a.postRecording("failed_after_reconciling", false, at(1, time.Second), nil, wait(postflow.NextReconcile, 0), failed),
		a.postRecording("at_once", false, at(1, -time.Second), nil, done),
		a.postRecording("retried", false, at(1, time.Second), nil, wait(postflow.NextPublish, time.Second), done),
		a.postRecording("processed", false, at(1, time.Second), nil, wait(postflow.NextProcessing, time.Second), done),
		a.postRecording("reconciled", false, at(1, time.Second), nil, wait(postflow.NextReconcile, 0),
			wait(postflow.NextReconcile, time.Second), done),
		a.postRecording("unscheduled", false, at(1, far), []postflow.Plan{draft}, done),
		a.postRecording("rescheduled", false, at(1, far), []postflow.Plan{at(2, time.Second)}, done),
		a.postRecording("approved", false, pending, []postflow.Plan{named(at(2, time.Second), postflow.SignalApproved)},
			done),
		a.postRecording("rejected", false, pending, []postflow.Plan{named(draft, postflow.SignalRejected)}, done),
		a.postRecording("deleted", false, at(1, far), []postflow.Plan{named(draft, postflow.SignalDeleted)}, done),
		a.postRecording("published_at_once", false, at(1, far),
			[]postflow.Plan{named(at(2, 0), postflow.SignalPublishRequested)}, done),
		a.postRecording("told_by_an_older_relay", false, at(1, far),
			[]postflow.Plan{named(at(2, time.Second), postflow.SignalChanged)}, done),
		a.postRecording("superseded", false, at(1, -time.Second), []postflow.Plan{at(2, 2*time.Second)},
			postflow.Outcome{Next: postflow.NextSuperseded}, done),
		a.postRecording("open_waiting_for_approval", true, pending, nil, done),
		a.postRecording("open_waiting_for_time", true, at(1, far), nil, done),
		a.postRecording("open_approved_waiting_for_time", true, pending,
			[]postflow.Plan{named(at(2, far), postflow.SignalApproved)}, done),
		a.postRecording("open_rescheduled_waiting_for_time", true, at(1, far), []postflow.Plan{at(2, far)}, done),
		a.postRecording("open_publishing", true, at(1, time.Second), nil, postflow.Outcome{Next: hang}),
		a.postRecording("open_waiting_for_retry", true, at(1, time.Second), nil, wait(postflow.NextPublish, far)),
		a.postRecording("open_waiting_for_processing", true, at(1, time.Second), nil, wait(postflow.NextProcessing, far)),
		a.postRecording("open_waiting_to_reconcile", true, at(1, time.Second), nil, wait(postflow.NextReconcile, far)),
		a.postRecording("held", false, at(1, 4*time.Second).Held(0), nil, done),
		a.postRecording("held_and_retried", false, held(time.Second), nil, wait(postflow.NextPublish, 2*time.Second), done),
		a.postRecording("rescheduled_while_held", false, held(time.Hour/2),
			[]postflow.Plan{at(2, time.Second).Held(0)}, postflow.Outcome{Next: hang}, done),
		a.postRecording("unscheduled_while_held", false, held(time.Hour/2), []postflow.Plan{draft},
			postflow.Outcome{Next: hang}),
		a.postRecording("open_waiting_to_be_held", true, at(1, far).Held(1), nil, done),
		a.postRecording("open_held", true, held(time.Hour/2), nil, postflow.Outcome{Next: hang}),
		a.postRecording("on_hold_until_reconnected", false, at(1, time.Second),
			[]postflow.Plan{named(at(2, 0), postflow.SignalResumed)}, hold, done),
		a.postRecording("on_hold_until_given_up", false, at(1, time.Second), nil, wait(postflow.NextPublish, 2*time.Second),
			disconnected),
		a.postRecording("open_on_hold", true, at(1, time.Second), nil, hold),
		a.postRecording("open_superseded", true, at(1, -time.Second), nil, postflow.Outcome{Next: postflow.NextSuperseded}),
	}
}

func (a *responses) postRecording(
	name string, open bool, plan postflow.Plan, changes []postflow.Plan, outcomes ...postflow.Outcome,
) recording {
	in := postflow.Input{
		PostID: ident.New[ident.Post](), WorkspaceID: ident.New[ident.Workspace](), ChannelID: ident.New[ident.Channel](),
		Network: channel.NetworkThreads, ChannelName: "Acme News", Plan: plan,
	}
	a.steps[in.PostID] = outcomes
	return recording{
		module: "publishing", name: name, open: open, failed: outcomes[len(outcomes)-1].Status == post.Failed,
		start: func(ctx context.Context, c client.Client) (client.WorkflowRun, error) {
			return c.SignalWithStartWorkflow(ctx, postflow.ID(in.PostID), string(plan.Signal), plan,
				client.StartWorkflowOptions{TaskQueue: postflow.Queue(in.Network)}, postflow.Workflow, in)
		},
		script: func(ctx context.Context, c client.Client, run client.WorkflowRun) error {
			if open && plan.Status == post.Scheduled && !plan.ScheduledAt.After(time.Now().Add(time.Hour)) {
				if err := stepped(ctx, c, run); err != nil {
					return err
				}
			}
			if len(changes) > 0 && changes[0].Signal == postflow.SignalResumed {
				if err := stepped(ctx, c, run); err != nil {
					return err
				}
			}
			for _, change := range changes {
				if err := pause(ctx); err != nil {
					return err
				}
				if err := settled(ctx, c, run); err != nil {
					return err
				}
				if err := c.SignalWorkflow(ctx, run.GetID(), run.GetRunID(), string(change.Signal), change); err != nil {
					return fmt.Errorf("signal: %w", err)
				}
				if err := signalled(ctx, c, run, change); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// stepped waits until the run has started a step, so that the saved history includes the wait after it.
func stepped(ctx context.Context, c client.Client, run client.WorkflowRun) error {
	return until(ctx, c, run, func(kinds map[enums.EventType]int) bool {
		return kinds[enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED] > 0 || kinds[enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED] > 0
	})
}

// signalled waits until the run has processed the change.
func signalled(ctx context.Context, c client.Client, run client.WorkflowRun, change postflow.Plan) error {
	if change.Status != post.Scheduled {
		return nil
	}
	return until(ctx, c, run, func(kinds map[enums.EventType]int) bool {
		return kinds[enums.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES] > 0
	})
}

func until(
	ctx context.Context, c client.Client, run client.WorkflowRun, reached func(map[enums.EventType]int) bool,
) error {
	for {
		h, err := read(ctx, c, run)
		if err != nil {
			return err
		}
		kinds := make(map[enums.EventType]int)
		for _, e := range h.GetEvents() {
			kinds[e.GetEventType()]++
		}
		if reached(kinds) {
			return pause(ctx)
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

func (a *responses) deliveries() []recording {
	done := flow.DeliveryOutcome{Done: true, Note: "Delivered with attempt 1."}
	again := func(d time.Duration) flow.DeliveryOutcome { return flow.DeliveryOutcome{Wait: d, Note: "waits"} }
	input := func(run int, requested ident.Redelivery) flow.DeliveryInput {
		return flow.DeliveryInput{
			DeliveryID: ident.New[ident.Delivery](), WorkspaceID: ident.New[ident.Workspace](),
			WebhookID: ident.New[ident.Webhook](),
			Run:       run, RedeliveryID: requested,
		}
	}
	deliver := func(name string, open bool, in flow.DeliveryInput, outcomes ...flow.DeliveryOutcome) recording {
		return a.attempted(name, open, flow.WorkflowDelivery, in.ID(), in, outcomes...)
	}
	replay := func(name string, open bool, outcomes ...flow.DeliveryOutcome) recording {
		in := flow.ReplayInput{
			ReplayID: ident.New[ident.Replay](), WorkspaceID: ident.New[ident.Workspace](),
			WebhookID: ident.New[ident.Webhook](),
		}
		return a.attempted(name, open, flow.WorkflowReplay, in.ID(), in, outcomes...)
	}
	none := ident.Redelivery{}
	return []recording{
		deliver("delivered", false, input(1, none), done),
		deliver("retried", false, input(1, none), again(time.Second), again(time.Second), done),
		deliver("left_the_line_again", false, input(2, none), done),
		deliver("redelivered", false, input(0, ident.New[ident.Redelivery]()), again(time.Second), done),
		deliver("open_waiting_for_retry", true, input(1, none), again(time.Second), again(far)),
		replay("replayed", false, again(time.Second), again(time.Second), done),
		replay("open_replaying", true, again(time.Second), again(far)),
	}
}

// attempted returns the recording of a workflow that consists only of attempts and the waits between them.
func (a *responses) attempted(
	name string, open bool, kind, id string, in any, outcomes ...flow.DeliveryOutcome,
) recording {
	a.attempts[id] = outcomes
	return recording{
		module: "background", name: "delivery_" + name, open: open,
		start: func(ctx context.Context, c client.Client) (client.WorkflowRun, error) {
			return c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: flow.QueueDeliveries}, kind, in)
		},
		script: func(ctx context.Context, c client.Client, run client.WorkflowRun) error {
			return until(ctx, c, run, func(kinds map[enums.EventType]int) bool {
				return kinds[enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED] >= len(outcomes)
			})
		},
	}
}

// searchAttributes registers the search attributes that the post workflow writes.
func searchAttributes(ctx context.Context, c client.Client) error {
	request := &operatorservice.AddSearchAttributesRequest{
		Namespace: client.DefaultNamespace,
		SearchAttributes: map[string]enums.IndexedValueType{
			postflow.AttrPostStatus.GetName():  enums.INDEXED_VALUE_TYPE_KEYWORD,
			postflow.AttrScheduledAt.GetName(): enums.INDEXED_VALUE_TYPE_DATETIME,
			postflow.AttrWorkspaceID.GetName(): enums.INDEXED_VALUE_TYPE_KEYWORD,
			postflow.AttrChannelID.GetName():   enums.INDEXED_VALUE_TYPE_KEYWORD,
			postflow.AttrPlatform.GetName():    enums.INDEXED_VALUE_TYPE_KEYWORD,
		},
	}
	for range 100 { // a server that has just started knows its namespaces only after a delay
		_, err := c.OperatorService().AddSearchAttributes(ctx, request)
		if _, exists := errors.AsType[*serviceerror.AlreadyExists](err); err == nil || exists {
			break
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
	for {
		known, err := c.OperatorService().ListSearchAttributes(ctx,
			&operatorservice.ListSearchAttributesRequest{Namespace: client.DefaultNamespace})
		if err == nil &&
			known.GetCustomAttributes()[postflow.AttrPlatform.GetName()] != enums.INDEXED_VALUE_TYPE_UNSPECIFIED {
			return nil
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}
