// Package delivery is the workflow that brings one event to one webhook endpoint: an attempt at once, then the retries of
// the specification, with the waits the activity decides on.
package delivery

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"socialpub.internal/shared/flow/deliveryflow"
)

// attemptTimeout bounds one attempt: the receiver's 15 seconds and the record of it.
const attemptTimeout = 30 * time.Second

// Delivery is the workflow delivery/<id>.
func Delivery(ctx workflow.Context, in deliveryflow.Input) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: attemptTimeout,
		// What the receiver does is an outcome, not an error; only our own database's silence is retried here.
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 15 * time.Second},
	})
	for {
		out, err := deliveryflow.Attempt(ctx, in)
		if err != nil {
			return err
		}
		workflow.SetCurrentDetails(ctx, out.Note)
		if out.Done {
			return nil
		}
		if err := workflow.NewTimerWithOptions(ctx, out.Wait, workflow.TimerOptions{Summary: out.Note}).Get(ctx, nil); err != nil {
			return err
		}
	}
}
