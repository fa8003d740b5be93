package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/kernel/ident"
)

func (s *scripts) posts() []recording { //nolint:funlen // a table of scenarios
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
		s.post("published", at(1, time.Second), nil, done),
		s.post("failed", at(1, time.Second), nil, failed),
		s.post("failed_after_retry", at(1, time.Second), nil, wait(postflow.NextPublish, time.Second),
			failed),
		s.post("failed_after_processing", at(1, time.Second), nil, wait(postflow.NextProcessing, time.Second),
			failed),
		s.post("failed_after_reconciling", at(1, time.Second), nil, wait(postflow.NextReconcile, 0), failed),
		s.post("at_once", at(1, -time.Second), nil, done),
		s.post("retried", at(1, time.Second), nil, wait(postflow.NextPublish, time.Second), done),
		s.post("processed", at(1, time.Second), nil, wait(postflow.NextProcessing, time.Second), done),
		s.post("reconciled", at(1, time.Second), nil, wait(postflow.NextReconcile, 0),
			wait(postflow.NextReconcile, time.Second), done),
		s.post("unscheduled", at(1, far), []postflow.Plan{draft}, done),
		s.post("rescheduled", at(1, far), []postflow.Plan{at(2, time.Second)}, done),
		s.post("approved", pending, []postflow.Plan{named(at(2, time.Second), postflow.SignalApproved)},
			done),
		s.post("rejected", pending, []postflow.Plan{named(draft, postflow.SignalRejected)}, done),
		s.post("deleted", at(1, far), []postflow.Plan{named(draft, postflow.SignalDeleted)}, done),
		s.post("published_at_once", at(1, far),
			[]postflow.Plan{named(at(2, 0), postflow.SignalPublishRequested)}, done),
		s.post("told_by_an_older_relay", at(1, far),
			[]postflow.Plan{named(at(2, time.Second), postflow.SignalChanged)}, done),
		s.post("superseded", at(1, -time.Second), []postflow.Plan{at(2, 2*time.Second)},
			postflow.Outcome{Next: postflow.NextSuperseded}, done),
		s.post("open_waiting_for_approval", pending, nil, done),
		s.post("open_waiting_for_time", at(1, far), nil, done),
		s.post("open_approved_waiting_for_time", pending,
			[]postflow.Plan{named(at(2, far), postflow.SignalApproved)}, done),
		s.post("open_rescheduled_waiting_for_time", at(1, far), []postflow.Plan{at(2, far)}, done),
		s.post("open_publishing", at(1, time.Second), nil, hang{}),
		s.post("open_waiting_for_retry", at(1, time.Second), nil, wait(postflow.NextPublish, far)),
		s.post("open_waiting_for_processing", at(1, time.Second), nil, wait(postflow.NextProcessing, far)),
		s.post("open_waiting_to_reconcile", at(1, time.Second), nil, wait(postflow.NextReconcile, far)),
		s.post("held", at(1, 4*time.Second).Held(0), nil, done),
		s.post("held_and_retried", held(time.Second), nil, wait(postflow.NextPublish, 2*time.Second), done),
		s.post("rescheduled_while_held", held(time.Hour/2),
			[]postflow.Plan{at(2, time.Second).Held(0)}, hang{}, done),
		s.post("unscheduled_while_held", held(time.Hour/2), []postflow.Plan{draft},
			hang{}),
		s.post("open_waiting_to_be_held", at(1, far).Held(1), nil, done),
		s.post("open_held", held(time.Hour/2), nil, hang{}),
		s.post("on_hold_until_reconnected", at(1, time.Second),
			[]postflow.Plan{named(at(2, 0), postflow.SignalResumed)}, hold, done),
		s.post("on_hold_until_given_up", at(1, time.Second), nil, wait(postflow.NextPublish, 2*time.Second),
			disconnected),
		s.post("open_on_hold", at(1, time.Second), nil, hold),
		s.post("open_superseded", at(1, -time.Second), nil, postflow.Outcome{Next: postflow.NextSuperseded}),
	}
}

func (s *scripts) post(name string, plan postflow.Plan, changes []postflow.Plan, outcomes ...any) recording {
	in := postflow.Input{
		PostID: ident.New[ident.Post](), WorkspaceID: ident.New[ident.Workspace](), ChannelID: ident.New[ident.Channel](),
		Network: network, ChannelName: "Acme News", Plan: plan,
	}
	s.outcomes[postflow.ID(in.PostID)] = outcomes
	return recording{
		module: "publishing", name: name, failed: fails(outcomes),
		start: func(ctx context.Context, c client.Client) (client.WorkflowRun, error) {
			return c.SignalWithStartWorkflow(ctx, postflow.ID(in.PostID), string(plan.Signal), plan,
				client.StartWorkflowOptions{TaskQueue: postflow.Queue(in.Network)}, postflow.Workflow, in)
		},
		script: func(ctx context.Context, c client.Client, run client.WorkflowRun) error {
			soon := plan.Status == post.Scheduled && !plan.ScheduledAt.After(time.Now().Add(time.Hour))
			if strings.HasPrefix(name, "open_") && soon || len(changes) > 0 && changes[0].Signal == postflow.SignalResumed {
				if err := stepped(ctx, c, run); err != nil {
					return err
				}
			}
			for _, change := range changes {
				if err := s.change(ctx, c, run, change); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// change signals a change to a run that is idle.
func (*scripts) change(ctx context.Context, c client.Client, run client.WorkflowRun, change postflow.Plan) error {
	if err := pause(ctx); err != nil {
		return err
	}
	if err := settled(ctx, c, run); err != nil {
		return err
	}
	if err := c.SignalWorkflow(ctx, run.GetID(), run.GetRunID(), string(change.Signal), change); err != nil {
		return fmt.Errorf("signal: %w", err)
	}
	return signalled(ctx, c, run, change)
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
