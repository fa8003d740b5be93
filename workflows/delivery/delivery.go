// Package delivery has the workflows of webhooks: one brings an event to an endpoint, with an attempt at once and then the
// retries of the specification; the other puts a range of events in line again.
package delivery

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"socialpub.internal/shared/flow/deliveryflow"
)

// attemptTimeout bounds one attempt: the receiver's 15 seconds and the record of it.
const attemptTimeout = 30 * time.Second

// Delivery is the workflow delivery/<id>, and redelivery/<id> for the one attempt that somebody asked for. The activity decides
// on the waits. A delivery whose endpoint is busy ends here and goes on in another run, from the endpoint's line.
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
		// What the receiver does is an outcome, not an error; only our own database's silence is retried here.
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 15 * time.Second},
	})
}

func pause(ctx workflow.Context, out deliveryflow.Outcome) error {
	return workflow.NewTimerWithOptions(ctx, out.Wait, workflow.TimerOptions{Summary: out.Note}).Get(ctx, nil)
}
