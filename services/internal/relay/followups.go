package relay

import (
	"context"
	"errors"
	"math/rand/v2"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
)

// deliverFollowup signals the plan to the workflow of a lead's follow-up. It starts the workflow if a follow-up is planned within
// the horizon.
func (r *Relay) deliverFollowup(ctx context.Context, m postgres.Message) error {
	in, err := flow.ReadFollowup(m.Payload)
	if err != nil {
		return unreadable(m, err)
	}
	id := flow.FollowupID(in.LeadID)
	if in.At.IsZero() || in.Beyond {
		err := r.Temporal.SignalWorkflow(ctx, id, "", flow.SignalFollowup, in)
		if _, none := errors.AsType[*serviceerror.NotFound](err); none {
			return nil // the workflow has ended or was never started
		}
		return wrap(err, "signal", id)
	}
	options := client.StartWorkflowOptions{
		ID: id, TaskQueue: flow.QueueFollowups, Priority: temporal.Priority{FairnessKey: in.WorkspaceID.String()},
	}
	if remaining := in.At.Sub(r.Clock.Now()); remaining >= sleepsFrom { // as that of a post
		options.StartDelay = remaining - wakeBefore + rand.N(wakeSpread) //nolint:gosec // G404: spreads load, protects nothing
	}
	_, err = r.Temporal.SignalWithStartWorkflow(ctx, id, flow.SignalFollowup, in, options, flow.WorkflowFollowup, in)
	return wrap(err, "signal-with-start", id)
}
