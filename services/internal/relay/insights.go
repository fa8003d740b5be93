package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// scheduleSilence is the time after which an unconfirmed schedule is created again, in case an operator deleted it.
	scheduleSilence = 2*flow.InsightsInterval + time.Hour
	// scheduleShare limits the schedules of one round, so that they do not delay other work.
	scheduleShare = 50
	// catchUp is the maximum delay of a missed collection, after Temporal was down. One missed collection is enough,
	// because it fetches all missing days.
	catchUp = flow.InsightsInterval
	// longest is the timeout of a collection. A collection that a bug keeps open must not block the next day's run.
	longest = flow.InsightsInterval - time.Hour
)

// reconcileSchedules enqueues the missing schedules of channels and the deletion of those whose channels are gone.
func (r *Relay) reconcileSchedules(ctx context.Context) error {
	if r.Insights == nil {
		return nil
	}
	changed, err := r.Insights.EnqueueSchedules(ctx, scheduleSilence, scheduleShare)
	if changed > 0 {
		r.wakeLanes()
	}
	return err
}

// deliverInsights creates or deletes a channel's schedule. It does not change an existing schedule, because an operator
// may have paused it.
func (r *Relay) deliverInsights(ctx context.Context, m postgres.Message) error {
	var in flow.InsightsInput
	var request flow.InsightsRequest
	var err error
	if in.ChannelID, err = ident.Parse[ident.Channel](m.Subject); err == nil {
		err = json.Unmarshal([]byte(m.Payload), &request)
	}
	if err != nil {
		return unreadable(m, err)
	}
	id := flow.InsightsScheduleID(in.ChannelID)
	handle := r.Temporal.ScheduleClient().GetHandle(ctx, id)
	if m.Channel == nil || !m.Channel.Connected || !m.Channel.Type.Capabilities().Analytics {
		err := handle.Delete(ctx)
		if _, none := errors.AsType[*serviceerror.NotFound](err); none {
			return nil
		}
		return wrap(err, "delete schedule", id)
	}
	in.WorkspaceID, in.Network = m.Channel.WorkspaceID, m.Channel.Network()
	_, err = r.Temporal.ScheduleClient().Create(ctx, scheduleOptions(id, in, request.Now))
	switch {
	case errors.Is(err, temporal.ErrScheduleAlreadyRunning) && request.Now:
		// A running collection may have read before the request, so another one follows it.
		return wrap(handle.Trigger(ctx, client.ScheduleTriggerOptions{Overlap: enums.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE}),
			"trigger schedule", id)
	case errors.Is(err, temporal.ErrScheduleAlreadyRunning):
		return nil
	default:
		return wrap(err, "create schedule", id)
	}
}

func scheduleOptions(id string, in flow.InsightsInput, now bool) client.ScheduleOptions {
	return client.ScheduleOptions{
		ID: id,
		Spec: client.ScheduleSpec{
			Intervals: []client.ScheduleIntervalSpec{
				{Every: flow.InsightsInterval, Offset: flow.InsightsOffset(in.ChannelID)},
			},
		},
		Action: &client.ScheduleWorkflowAction{
			ID: id, Workflow: flow.WorkflowInsights, Args: []any{in}, TaskQueue: flow.QueueInsights,
			WorkflowExecutionTimeout: longest,
			TypedSearchAttributes: temporal.NewSearchAttributes(
				postflow.AttrWorkspaceID.ValueSet(in.WorkspaceID.String()),
				postflow.AttrChannelID.ValueSet(in.ChannelID.String()),
				postflow.AttrPlatform.ValueSet(string(in.Network)),
			),
			StaticSummary: fmt.Sprintf("Figures of %s, channel %s", in.Network, in.ChannelID),
		},
		Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP, CatchupWindow: catchUp, TriggerImmediately: now,
		Note: "Collects the figures of the channel and its posts once a day.",
		TypedSearchAttributes: temporal.NewSearchAttributes(
			postflow.AttrWorkspaceID.ValueSet(in.WorkspaceID.String()),
			postflow.AttrChannelID.ValueSet(in.ChannelID.String()),
			postflow.AttrPlatform.ValueSet(string(in.Network)),
		),
	}
}
