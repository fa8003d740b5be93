// Package delivery contains the webhook workflows. One delivers an event to an endpoint, with an immediate attempt and
// the retries (docs/contract.md, Webhooks). The other queues a range of events for delivery again.
package delivery

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow/deliveryflow"
)

// attemptTimeout bounds one attempt: the receiver's 15 seconds and the time to record the result.
const attemptTimeout = 30 * time.Second

// Delivery is the workflow delivery/<id>, and redelivery/<id> for one manually requested attempt. The activity
// determines the waits. If the endpoint is busy, the workflow ends and the delivery continues from the endpoint's queue
// in another run.
//
// The activity requests its retries from the server (deliveryflow.Outcome.Retry). It returns a wait to the workflow only
// in a worker of a version that did not, or for a wait of zero.
func Delivery(ctx workflow.Context, in deliveryflow.Input) error {
	ctx = withActivity(ctx)
	for {
		out, err := deliveryflow.Attempt(ctx, in)
		if err != nil {
			return err
		}
		workflow.SetCurrentDetails(ctx, out.Note)
		if out.Done {
			return nil
		}
		if err := pause(ctx, out); err != nil {
			return err
		}
	}
}

func withActivity(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: attemptTimeout,
		// Receiver failures are outcomes, not errors. Only failures of our own database are retried here.
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 15 * time.Second,
		},
	})
}

func pause(ctx workflow.Context, out deliveryflow.Outcome) error {
	return workflow.NewTimerWithOptions(ctx, out.Wait, workflow.TimerOptions{Summary: out.Note}).Get(ctx, nil)
}
