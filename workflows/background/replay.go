package background

import (
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow"
)

// replayPages is the number of pages after which a replay continues as a new run, which bounds its history.
const replayPages = 250

// Replay is the workflow replay/<id>. It adds the event log page by page to the endpoint's queue; each queued delivery
// starts a workflow of its own.
func Replay(ctx workflow.Context, in flow.ReplayInput) error {
	ctx = delivering(ctx)
	for range replayPages {
		out, err := flow.ReplayPage(ctx, in)
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
	return workflow.NewContinueAsNewError(ctx, flow.WorkflowReplay, in)
}
