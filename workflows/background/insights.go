package background

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow"
)

const (
	// collectTimeout bounds one step: a batch of posts may take one call per post.
	collectTimeout = 3 * time.Minute
	// stepsPerRun is the number of steps after which a collection continues as a new run.
	stepsPerRun = 200
)

// Insights is the workflow started by a channel's schedule. Each step queries the channel's network for days or posts.
// The activity determines the next step and the wait before it; recorded figures are stored only in the database.
func Insights(ctx workflow.Context, in flow.InsightsInput) error {
	ctx = bounded(ctx, collectTimeout, heartbeatTimeout)
	return repeat(ctx, stepsPerRun, flow.WorkflowInsights, &in, func() (step, error) {
		out, err := flow.CollectInsights(ctx, in)
		in.Step = out.Next
		return step{done: out.Done, wait: out.Wait, note: out.Note}, err
	})
}
