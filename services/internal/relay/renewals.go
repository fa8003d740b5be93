package relay

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"fencepost.internal/shared/flow"
)

// RenewalStore knows which credentials are due for renewal; see postgres.Renewals.
type RenewalStore interface {
	Overdue(ctx context.Context, now time.Time) (count int, oldest time.Time, err error)
}

const (
	// sweepLongest is the timeout of a sweep of renewals. A sweep that a bug keeps open must not block the next ones.
	sweepLongest = 6 * time.Hour
	// sweepCatchUp is the maximum delay of a missed sweep, after Temporal was down. One is enough.
	sweepCatchUp = flow.RenewalsInterval
)

// measureRenewals updates the gauges of due renewals.
func (r *Relay) measureRenewals(ctx context.Context) error {
	if r.Renewals == nil {
		return nil
	}
	now := r.Clock.Now()
	count, oldest, err := r.Renewals.Overdue(ctx, now)
	if err != nil {
		return err
	}
	age := time.Duration(0)
	if count > 0 {
		age = now.Sub(oldest)
	}
	r.Metrics.renewals.Set(float64(count))
	r.Metrics.renewalAge.Set(age.Seconds())
	return nil
}

// scheduleRenewals creates the schedule of the renewals in the store of Temporal with this ID, or updates it to this
// version, once per process and store. A schedule that an operator paused stays paused.
func (r *Relay) scheduleRenewals(ctx context.Context, store string) error {
	if r.Renewals == nil || r.renewalsIn == store {
		return nil
	}
	options := renewalSchedule()
	_, err := r.Temporal.ScheduleClient().Create(ctx, options)
	if errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		err = r.Temporal.ScheduleClient().GetHandle(ctx, options.ID).Update(ctx, client.ScheduleUpdateOptions{
			DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
				updated := in.Description.Schedule
				updated.Spec, updated.Action = &options.Spec, options.Action
				updated.Policy = &client.SchedulePolicies{Overlap: options.Overlap, CatchupWindow: options.CatchupWindow}
				return &client.ScheduleUpdate{Schedule: &updated}, nil
			},
		})
	}
	if err != nil {
		return wrap(err, "schedule", options.ID)
	}
	r.renewalsIn = store
	return nil
}

func renewalSchedule() client.ScheduleOptions {
	return client.ScheduleOptions{
		ID:   flow.RenewalsScheduleID,
		Spec: client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: flow.RenewalsInterval}}},
		Action: &client.ScheduleWorkflowAction{
			ID: flow.RenewalsScheduleID, Workflow: flow.WorkflowRenewalSweep, Args: []any{flow.RenewalsPage{}},
			TaskQueue: flow.QueueRenewals, WorkflowExecutionTimeout: sweepLongest,
			StaticSummary: "Looks for credentials to renew",
		},
		Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP, CatchupWindow: sweepCatchUp, TriggerImmediately: true,
		Note: "Renews the credentials of channels before they end, and recomputes their token status once a day.",
	}
}
