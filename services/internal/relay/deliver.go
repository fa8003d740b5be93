package relay

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/flow/deliveryflow"
	"socialpub.internal/shared/flow/mediaflow"
	"socialpub.internal/shared/flow/postflow"
	"socialpub.internal/shared/infra/postgres"
)

func (r *Relay) deliver(ctx context.Context, m postgres.Message) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	switch {
	case m.Delivery != nil:
		return r.start(ctx, m.Delivery.ID(), deliveryflow.Queue, deliveryflow.Workflow, *m.Delivery)
	case m.Replay != nil:
		return r.start(ctx, m.Replay.ID(), deliveryflow.Queue, deliveryflow.WorkflowReplay, *m.Replay)
	case m.Import != nil:
		return r.start(ctx, mediaflow.ImportID(m.Import.MediaID), mediaflow.QueueImport, mediaflow.WorkflowImport, *m.Import)
	case m.Process != nil:
		return r.start(ctx, mediaflow.ProcessID(m.Process.MediaID), mediaflow.QueueProcess, mediaflow.WorkflowProcess, *m.Process)
	case m.Insights != nil:
		return r.deliverInsights(ctx, *m.Insights)
	case m.Restart:
		return r.restartPost(ctx, *m.Post)
	default:
		return r.deliverPost(ctx, *m.Post)
	}
}

// deliverPost signals the plan to the post's workflow. It starts the workflow if the plan is pending approval or
// scheduled.
func (r *Relay) deliverPost(ctx context.Context, in postflow.Input) error {
	id := postflow.ID(in.PostID)
	if in.Plan.Status != post.PendingApproval && in.Plan.Status != post.Scheduled {
		err := r.Temporal.SignalWorkflow(ctx, id, "", r.signalOf(in.Plan), in.Plan)
		if _, none := errors.AsType[*serviceerror.NotFound](err); none {
			return nil // the workflow has ended or was never started
		}
		return wrap(err, "signal", id)
	}
	_, err := r.Temporal.SignalWithStartWorkflow(ctx, id, r.signalOf(in.Plan), in.Plan, postOptions(id, in), postflow.Workflow, in)
	return wrap(err, "signal-with-start", id)
}

// restartPost starts the post's workflow unless it is running. A running workflow needs no signal, because outbox
// messages are kept until they are delivered.
func (r *Relay) restartPost(ctx context.Context, in postflow.Input) error {
	id := postflow.ID(in.PostID)
	options := postOptions(id, in)
	options.WorkflowIDConflictPolicy = enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	_, err := r.Temporal.ExecuteWorkflow(ctx, options, postflow.Workflow, in)
	return wrap(err, "restart", id)
}

func postOptions(id string, in postflow.Input) client.StartWorkflowOptions {
	attributes := []temporal.SearchAttributeUpdate{
		postflow.AttrWorkspaceID.ValueSet(in.WorkspaceID.String()), postflow.AttrChannelID.ValueSet(in.ChannelID.String()),
		postflow.AttrPlatform.ValueSet(string(in.Network)), postflow.AttrPostStatus.ValueSet(string(in.Plan.Status)),
	}
	if !in.Plan.ScheduledAt.IsZero() {
		attributes = append(attributes, postflow.AttrScheduledAt.ValueSet(in.Plan.ScheduledAt))
	}
	return client.StartWorkflowOptions{
		ID: id, TaskQueue: postflow.Queue(in.Network), TypedSearchAttributes: temporal.NewSearchAttributes(attributes...),
		StaticSummary: "Post to " + in.Target(), StaticDetails: in.Details(),
	}
}

// start starts a workflow that receives no signals, unless it is running.
func (r *Relay) start(ctx context.Context, id, queue, workflow string, in any) error {
	_, err := r.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: queue, WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		EnableEagerStart: true, // saves a round trip when the worker is in this process
	}, workflow, in)
	return wrap(err, "start", id)
}

func wrap(err error, what, id string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", what, id, err)
}

// unreachable reports whether the error concerns Temporal as a whole and not this message.
func unreachable(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return true
	}
	for _, is := range []func(error) bool{
		isA[*serviceerror.Unavailable], isA[*serviceerror.DeadlineExceeded], isA[*serviceerror.ResourceExhausted],
		isA[*serviceerror.Canceled], isA[*serviceerror.NamespaceNotFound], isA[*serviceerror.Internal], isA[*serviceerror.NotFound],
	} {
		if is(err) {
			return true
		}
	}
	return false
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
