package delivery

import (
	"go.temporal.io/sdk/workflow"

	"socialpub.internal/shared/flow/deliveryflow"
)

// replayPages is after how many pages a replay goes on in a new run, so that no history becomes long.
const replayPages = 250

// Replay is the workflow replay/<id>: page after page of the event log goes into the endpoint's line, from where each delivery
// starts a workflow of its own.
func Replay(ctx workflow.Context, in deliveryflow.ReplayInput) error {
	ctx = withActivity(ctx)
	for range replayPages {
		out, err := deliveryflow.Replay(ctx, in)
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
	return workflow.NewContinueAsNewError(ctx, deliveryflow.WorkflowReplay, in)
}
