package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/telemetry/traces"
	"fencepost.internal/shared/kernel/ident"
)

func (r *Relay) deliver(ctx context.Context, m postgres.Message) error {
	timeout := callTimeout
	if r.deferrable(m) {
		timeout = min(r.Late, callTimeout)
	}
	ctx, cancel := context.WithTimeout(traces.With(ctx, m.Trace), timeout)
	defer cancel()
	switch m.Kind {
	case postflow.KindPost:
		return r.deliverPost(ctx, m)
	case postflow.KindRestart:
		return r.restartPost(ctx, m)
	case flow.KindInsights:
		return r.deliverInsights(ctx, m)
	case flow.KindFollowup:
		return r.deliverFollowup(ctx, m)
	default:
		return r.start(ctx, m)
	}
}

// errUnreadable is the cause of a message that this version cannot decode, such as one of a newer version after a
// roll-back. It is kept.
var errUnreadable = errors.New("this version cannot read the message")

func unreadable(m postgres.Message, err error) error {
	return fmt.Errorf("%w of the kind %q: %w", errUnreadable, m.Kind, err)
}

// postOf returns the input or signal of a post's workflow. For a deleted post, which has no channel, only the end of its
// plan is sent; known is false if there is nothing to send.
func postOf(m postgres.Message) (in postflow.Input, known bool, err error) {
	if in.PostID, err = ident.Parse[ident.Post](m.Subject); err == nil {
		err = json.Unmarshal([]byte(m.Payload), &in.Plan)
	}
	if err != nil {
		return in, false, unreadable(m, err)
	}
	if m.Channel == nil {
		return in, in.Plan.Status == post.Draft, nil
	}
	in.WorkspaceID, in.ChannelID, in.Network = m.Channel.WorkspaceID, m.Channel.ID, m.Channel.Network()
	in.ChannelName = m.Channel.Name
	return held(in), true, nil
}

// restartPost starts a post's workflow that the sweep found missing.
func (r *Relay) restartPost(ctx context.Context, m postgres.Message) error {
	in, known, err := postOf(m)
	if err != nil || !known {
		return err
	}
	return r.restart(ctx, r.postOptions(postflow.ID(in.PostID), in), postflow.Workflow, in)
}

// deliverPost signals the plan to the post's workflow. It starts the workflow if the plan is pending approval or
// scheduled, and due within the horizon.
func (r *Relay) deliverPost(ctx context.Context, m postgres.Message) error {
	in, known, err := postOf(m)
	if err != nil || !known {
		return err
	}
	id := postflow.ID(in.PostID)
	if m.Beyond || in.Plan.Status != post.PendingApproval && in.Plan.Status != post.Scheduled {
		err := r.Temporal.SignalWorkflow(ctx, id, "", r.signalOf(in.Plan), in.Plan)
		if _, none := errors.AsType[*serviceerror.NotFound](err); none {
			return nil // the workflow has ended or was never started
		}
		return wrap(err, "signal", id)
	}
	_, err = r.Temporal.SignalWithStartWorkflow(ctx, id, r.signalOf(in.Plan), in.Plan, r.postOptions(id, in),
		postflow.Workflow, in)
	return wrap(err, "signal-with-start", id)
}

// held returns the input with a plan whose first step starts shortly before the post is due. The steps of posts that are
// due at the same moment are spread.
func held(in postflow.Input) postflow.Input {
	in.Plan = in.Plan.Held(rand.Float64()) //nolint:gosec // G404: spreads load, protects nothing
	return in
}

// restart starts a workflow that the sweep found missing. A running one needs no signal, because outbox messages are
// kept until they are delivered: it is behind, not lost.
func (r *Relay) restart(ctx context.Context, options client.StartWorkflowOptions, workflow string, in any) error {
	options.WorkflowIDConflictPolicy = enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL
	options.WorkflowExecutionErrorWhenAlreadyStarted = true
	_, err := r.Temporal.ExecuteWorkflow(ctx, options, workflow, in)
	if isA[*serviceerror.WorkflowExecutionAlreadyStarted](err) {
		return nil
	}
	if err == nil {
		r.Metrics.swept.Inc()
		r.Logger.WarnContext(ctx, "the sweep started a missing workflow", slog.String("workflow_id", options.ID))
	}
	return wrap(err, "restart", options.ID)
}

func (r *Relay) postOptions(id string, in postflow.Input) client.StartWorkflowOptions {
	attributes := []temporal.SearchAttributeUpdate{
		postflow.AttrWorkspaceID.ValueSet(in.WorkspaceID.String()), postflow.AttrChannelID.ValueSet(in.ChannelID.String()),
		postflow.AttrPlatform.ValueSet(string(in.Network)), postflow.AttrPostStatus.ValueSet(string(in.Plan.Status)),
	}
	if !in.Plan.ScheduledAt.IsZero() {
		attributes = append(attributes, postflow.AttrScheduledAt.ValueSet(in.Plan.ScheduledAt))
	}
	delay, priority := r.turn(in)
	return client.StartWorkflowOptions{
		ID: id, TaskQueue: postflow.Queue(in.Network), TypedSearchAttributes: temporal.NewSearchAttributes(attributes...),
		StaticSummary: "Post to " + in.Target(), StaticDetails: in.Details(),
		StartDelay: delay, Priority: temporal.Priority{PriorityKey: priority, FairnessKey: in.WorkspaceID.String()},
	}
}

// The wake-up of a post that is scheduled for much later. Its workflow is created at once, with its first task in time
// before the post is due: until then it costs Temporal one timer. The wake-ups of posts that are due at the same moment
// are spread over wakeSpread.
const (
	sleepsFrom = time.Hour // posts due later than this sleep
	wakeBefore = 10 * time.Minute
	wakeSpread = 5 * time.Minute
)

// turn returns the delay of the first task of a post's workflow, and the priority of its tasks. A post that is due
// precedes one that slept until shortly before its time, which precedes one that still has to wait.
func (r *Relay) turn(in postflow.Input) (delay time.Duration, priority int) {
	if in.Plan.Status != post.Scheduled {
		return 0, postflow.PriorityWaiting
	}
	switch remaining := in.Plan.ScheduledAt.Sub(r.Clock.Now()); {
	case remaining <= wakeBefore:
		return 0, postflow.PriorityDue
	case remaining < sleepsFrom:
		return 0, postflow.PriorityWaiting
	default:
		return remaining - wakeBefore + rand.N(wakeSpread), postflow.PrioritySlept //nolint:gosec // spreads load, protects nothing
	}
}

// start starts a workflow that receives no signals, unless it is running.
func (r *Relay) start(ctx context.Context, m postgres.Message) error {
	kind, known := r.kinds[m.Kind]
	if !known {
		return unreadable(m, errors.New("this version knows no such kind"))
	}
	start, err := kind.Start(m.Payload)
	if err != nil {
		return unreadable(m, err)
	}
	options := client.StartWorkflowOptions{
		ID: start.ID, TaskQueue: start.Queue, WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		Priority:         temporal.Priority{FairnessKey: start.Workspace.String()},
		EnableEagerStart: true, // saves a round trip when the worker is in this process
	}
	if m.Swept {
		return r.restart(ctx, options, start.Workflow, start.Input)
	}
	_, err = r.Temporal.ExecuteWorkflow(ctx, options, start.Workflow, start.Input)
	return wrap(err, "start", start.ID)
}

func wrap(err error, what, id string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", what, id, err)
}

// unreachable reports whether the error may concern Temporal as a whole: some concern a single message, such as that of
// the shard of its workflow.
func unreachable(err error) bool {
	if overloaded(err) {
		return false
	}
	if errors.Is(err, context.Canceled) {
		return true
	}
	for _, is := range []func(error) bool{
		isA[*serviceerror.Unavailable], isA[*serviceerror.Canceled], isA[*serviceerror.NamespaceNotFound],
		isA[*serviceerror.Internal], isA[*serviceerror.NotFound],
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
