package relay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"fencepost.internal/shared/flow/insightsflow"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
)

const (
	// scheduleSilence is the time after which an unconfirmed schedule is created again, in case an operator deleted it.
	scheduleSilence = 2*insightsflow.Every + time.Hour
	// scheduleShare limits the schedules of one round, so that they do not delay other work.
	scheduleShare = 50
	// catchUp is the maximum delay of a missed collection, after Temporal was down. One missed collection is enough,
	// because it fetches all missing days.
	catchUp = insightsflow.Every
	// longest is the timeout of a collection. A collection that a bug keeps open must not block the next day's run.
	longest = insightsflow.Every - time.Hour
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
func (r *Relay) deliverInsights(ctx context.Context, m postgres.InsightsMessage) error {
	id := insightsflow.ScheduleID(m.Input.ChannelID)
	handle := r.Temporal.ScheduleClient().GetHandle(ctx, id)
	if !m.Wanted {
		err := handle.Delete(ctx)
		if _, none := errors.AsType[*serviceerror.NotFound](err); none {
			return nil
		}
		return wrap(err, "delete schedule", id)
	}
	options := scheduleOptions(id, m)
	_, err := r.Temporal.ScheduleClient().Create(ctx, options)
	switch {
	case errors.Is(err, temporal.ErrScheduleAlreadyRunning) && m.Now:
		// A running collection may have read before the request, so another one follows it.
		return wrap(handle.Trigger(ctx, client.ScheduleTriggerOptions{Overlap: enums.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE}),
			"trigger schedule", id)
	case errors.Is(err, temporal.ErrScheduleAlreadyRunning):
		return nil
	default:
		return wrap(err, "create schedule", id)
	}
}

func scheduleOptions(id string, m postgres.InsightsMessage) client.ScheduleOptions {
	return client.ScheduleOptions{
		ID: id,
		Spec: client.ScheduleSpec{
			Intervals: []client.ScheduleIntervalSpec{
				{Every: insightsflow.Every, Offset: insightsflow.Offset(m.Input.ChannelID)},
			},
		},
		Action: &client.ScheduleWorkflowAction{
			ID: id, Workflow: insightsflow.Workflow, Args: []any{m.Input}, TaskQueue: insightsflow.Queue,
			WorkflowExecutionTimeout: longest,
			TypedSearchAttributes: temporal.NewSearchAttributes(
				postflow.AttrWorkspaceID.ValueSet(m.Input.WorkspaceID.String()),
				postflow.AttrChannelID.ValueSet(m.Input.ChannelID.String()),
				postflow.AttrPlatform.ValueSet(string(m.Input.Network)),
			),
			StaticSummary: fmt.Sprintf("Figures of %s, channel %s", m.Input.Network, m.Input.ChannelID),
		},
		Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP, CatchupWindow: catchUp, TriggerImmediately: m.Now,
		Note: "Collects the figures of the channel and its posts once a day.",
		TypedSearchAttributes: temporal.NewSearchAttributes(
			postflow.AttrWorkspaceID.ValueSet(m.Input.WorkspaceID.String()),
			postflow.AttrChannelID.ValueSet(m.Input.ChannelID.String()),
			postflow.AttrPlatform.ValueSet(string(m.Input.Network)),
		),
	}
}
