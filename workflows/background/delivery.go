package background

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow"
)

// deliveryTimeout bounds one attempt: the receiver's 15 seconds and the time to record the result.
const deliveryTimeout = 30 * time.Second

// Delivery is the workflow delivery/<id>, and redelivery/<id> for one manually requested attempt. The activity
// determines the waits. If the endpoint is busy, the workflow ends and the delivery continues from the endpoint's queue
// in another run.
//
// The activity requests its retries from the server (flow.DeliveryOutcome.Retry). It returns a wait to the workflow only
// in a worker of a version that did not, or for a wait of zero.
func Delivery(ctx workflow.Context, in flow.DeliveryInput) error {
	ctx = delivering(ctx)
	for {
		out, err := flow.AttemptDelivery(ctx, in)
		if err != nil {
			return err
		}
		workflow.SetCurrentDetails(ctx, out.Note)
		if out.Done {
			return nil
		}
		if err := pause(ctx, out.Wait, out.Note); err != nil {
			return err
		}
	}
}

func delivering(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: deliveryTimeout,
		// Receiver failures are outcomes, not errors. Only failures of our own database are retried here.
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 15 * time.Second,
		},
	})
}
