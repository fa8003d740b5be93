package relay

import (
	"context"
	"fmt"
	"log/slog"

	"go.temporal.io/api/workflowservice/v1"
)

// sweepLimit bounds the objects of one kind whose workflows a round looks for.
const sweepLimit = 200

// nearLimit and nearRounds bound the posts that a round of the sweep takes over the horizon.
const (
	nearLimit  = 1000
	nearRounds = 10
)

// sweep enqueues overdue work and updates the gauges. It enqueues everything when Temporal has lost its store.
func (r *Relay) sweep(ctx context.Context) error {
	depth, err := r.Outbox.Depth(ctx)
	if err != nil {
		return err
	}
	r.Metrics.depth.Set(float64(depth.Due))
	r.Metrics.oldest.Set(depth.Oldest.Seconds())
	r.Metrics.patient.Set(float64(depth.Patient))
	waiting, err := r.Queues.InLine(ctx)
	if err != nil {
		return err
	}
	r.Metrics.waiting.Set(float64(waiting))
	found, err := r.Outbox.EnqueueOverdue(ctx, r.Grace, sweepLimit)
	if err != nil {
		return err
	}
	if found > 0 {
		r.Logger.InfoContext(ctx, "the sweep looks for the workflows of overdue work", slog.Int("count", found))
		r.wakeLanes()
	}
	if err := r.approach(ctx); err != nil {
		return err
	}
	if err := r.reconcileSchedules(ctx); err != nil {
		return err
	}
	if err := r.measureRenewals(ctx); err != nil {
		return err
	}
	return r.checkStore(ctx)
}

// approach enqueues the posts that came within the horizon. A round is bounded: the sweep has more to do, and the next
// round follows soon.
func (r *Relay) approach(ctx context.Context) error {
	for range nearRounds {
		found, err := r.Outbox.EnqueueNear(ctx, nearLimit)
		if err != nil {
			return err
		}
		if found > 0 {
			r.wakeLanes()
		}
		if found < nearLimit {
			break
		}
	}
	return nil
}

// checkStore detects that Temporal runs on another store than before. The workflows of the old store are gone, and are
// started again from the database.
func (r *Relay) checkStore(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	response, err := r.Temporal.WorkflowService().DescribeNamespace(ctx,
		&workflowservice.DescribeNamespaceRequest{Namespace: r.Namespace})
	if err != nil {
		return fmt.Errorf("describe namespace: %w", err)
	}
	store := response.GetNamespaceInfo().GetId()
	if err := r.scheduleRenewals(ctx, store); err != nil {
		return err
	}
	changed, err := r.Outbox.SeenStore(ctx, r.Namespace, store)
	if err != nil {
		return err
	}
	if changed {
		r.Logger.WarnContext(ctx, "Temporal has a new store; restarting every open workflow")
		r.wakeLanes()
	}
	return nil
}
