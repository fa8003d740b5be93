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

	"socialpub.internal/shared/flow/insightsflow"
	"socialpub.internal/shared/flow/postflow"
	"socialpub.internal/shared/infra/postgres"
)

const (
	// scheduleSilence is how long nothing may be heard of a schedule before it is made again, in case somebody removed it.
	scheduleSilence = 2*insightsflow.Every + time.Hour
	// scheduleShare bounds the schedules of one round, so that nothing else waits behind many of them.
	scheduleShare = 50
	// catchUp is how long after its time a collection still starts, after Temporal was down. One is enough: it takes all days that
	// are missing.
	catchUp = insightsflow.Every
	// longest ends a collection that a fault of our own keeps open, so that it does not take the next day's turn as well.
	longest = insightsflow.Every - time.Hour
)

// reconcileSchedules has the schedules made that channels lack, and those removed whose channels are gone.
func (r *Relay) reconcileSchedules(ctx context.Context) error {
	if r.Insights == nil {
		return nil
	}
	changed, err := r.Insights.EnqueueSchedules(ctx, scheduleSilence, scheduleShare)
	if changed > 0 {
		wake(r.outbox)
	}
	return err
}

// tellInsights brings a channel's schedule to where it should be. One that exists is left in peace: an operator may have paused it.
func (r *Relay) tellInsights(ctx context.Context, m postgres.InsightsMessage) error {
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
		return wrap(handle.Trigger(ctx, client.ScheduleTriggerOptions{Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP}), "trigger schedule", id)
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
			Intervals: []client.ScheduleIntervalSpec{{Every: insightsflow.Every, Offset: insightsflow.Offset(m.Input.ChannelID)}},
		},
		Action: &client.ScheduleWorkflowAction{
			ID: id, Workflow: insightsflow.Workflow, Args: []any{m.Input}, TaskQueue: insightsflow.Queue,
			WorkflowExecutionTimeout: longest,
			TypedSearchAttributes: temporal.NewSearchAttributes(
				postflow.AttrWorkspaceID.ValueSet(m.Input.WorkspaceID.String()), postflow.AttrChannelID.ValueSet(m.Input.ChannelID.String()),
				postflow.AttrPlatform.ValueSet(string(m.Input.Network)),
			),
			StaticSummary: fmt.Sprintf("Figures of %s, channel %s", m.Input.Network, m.Input.ChannelID),
		},
		Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP, CatchupWindow: catchUp, TriggerImmediately: m.Now,
		Note: "Collects the figures of the channel and its posts once a day.",
		TypedSearchAttributes: temporal.NewSearchAttributes(
			postflow.AttrWorkspaceID.ValueSet(m.Input.WorkspaceID.String()), postflow.AttrChannelID.ValueSet(m.Input.ChannelID.String()),
			postflow.AttrPlatform.ValueSet(string(m.Input.Network)),
		),
	}
}
