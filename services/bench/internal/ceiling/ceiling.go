// Package ceiling measures Temporal itself on this machine: workflows with one empty activity, run by a separate
// process with the worker's settings.
package ceiling

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

const (
	// workflowTimed waits for its due time and then runs one activity on its own queue, as a post does.
	workflowTimed = "Timed"
	// workflowDirect runs one activity on its own queue immediately, as a delivery does.
	workflowDirect = "Direct"
	// workflowSend sends one request immediately, from an activity on its own queue.
	workflowSend  = "Send"
	activityEmpty = "empty"
	activitySend  = "send"

	queueDirect = "ceiling.direct"
)

// timedQueues returns one queue for each network on which posts are measured.
func timedQueues() []string {
	return []string{"ceiling.timed.1", "ceiling.timed.2", "ceiling.timed.3"}
}

// timedInput contains the due time of the workflow's timer.
type timedInput struct {
	Due time.Time `json:"due"`
}

// sendInput is the request that a workflow sends.
type sendInput struct {
	URL  string `json:"url"`
	ID   string `json:"id"` // the delivery id in the request's header
	Body string `json:"body"`
}

const activityTimeout = time.Minute

func (p *process) timed(ctx workflow.Context, in timedInput) error {
	if err := workflow.NewTimer(ctx, in.Due.Sub(workflow.Now(ctx))).Get(ctx, nil); err != nil {
		return err
	}
	return p.finish(ctx)
}

func (p *process) direct(ctx workflow.Context) error { return p.finish(ctx) }

func (p *process) send(ctx workflow.Context, in sendInput) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: activityTimeout})
	return workflow.ExecuteActivity(ctx, activitySend, in).Get(ctx, nil)
}

func (p *process) finish(ctx workflow.Context) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: activityTimeout})
	err := workflow.ExecuteActivity(ctx, activityEmpty).Get(ctx, nil)
	if !workflow.IsReplaying(ctx) {
		p.ended()
	}
	return err
}
