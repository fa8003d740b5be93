package relay

import (
	"context"
	"fmt"
	"log/slog"

	"go.temporal.io/api/workflowservice/v1"
)

const sweepLimit = 1000

// sweep enqueues overdue work and updates the gauges. It enqueues everything when Temporal has lost its store.
func (r *Relay) sweep(ctx context.Context) error {
	count, oldest, err := r.Outbox.Depth(ctx)
	if err != nil {
		return err
	}
	r.Metrics.depth.Set(float64(count))
	r.Metrics.oldest.Set(oldest.Seconds())
	waiting, err := r.Lines.InLine(ctx)
	if err != nil {
		return err
	}
	r.Metrics.waiting.Set(float64(waiting))
	found, err := r.Outbox.EnqueueOverdue(ctx, r.Grace, sweepLimit)
	if err != nil {
		return err
	}
	if found > 0 {
		r.Metrics.swept.Add(float64(found))
		r.Logger.WarnContext(ctx, "the sweep enqueued overdue work again", slog.Int("count", found))
		wake(r.outbox)
	}
	if err := r.reconcileSchedules(ctx); err != nil {
		return err
	}
	return r.checkStore(ctx)
}

// checkStore detects that Temporal runs on another store than before. The workflows of the old store are gone, and are
// started again from the database.
func (r *Relay) checkStore(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	answer, err := r.Temporal.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: r.Namespace})
	if err != nil {
		return fmt.Errorf("describe namespace: %w", err)
	}
	changed, err := r.Outbox.SeenStore(ctx, r.Namespace, answer.GetNamespaceInfo().GetId())
	if err != nil {
		return err
	}
	if changed {
		r.Logger.WarnContext(ctx, "Temporal has a new store; restarting every open workflow")
		wake(r.outbox)
	}
	return nil
}
