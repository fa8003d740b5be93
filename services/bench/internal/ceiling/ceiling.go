// Package ceiling is what Temporal does on this machine when nobody does anything of their own: empty workflows with one
// activity that does nothing, run by a process of their own with the worker's settings.
package ceiling

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

const (
	// workflowTimed waits for its time and then runs one activity on its own queue, as a post does.
	workflowTimed = "Timed"
	// workflowDirect runs one activity on its own queue at once, as a delivery does.
	workflowDirect = "Direct"
	// workflowSend sends one request at once, from an activity on its own queue.
	workflowSend  = "Send"
	activityEmpty = "empty"
	activitySend  = "send"

	queueDirect = "ceiling.direct"
)

// timedQueues are as many as the networks that posts are measured on.
func timedQueues() []string {
	return []string{"ceiling.timed.1", "ceiling.timed.2", "ceiling.timed.3"}
}

// timedInput says when the workflow's timer is due.
type timedInput struct {
	Due time.Time `json:"due"`
}

// sendInput is the request of a workflow that sends one.
type sendInput struct {
	URL  string `json:"url"`
	ID   string `json:"id"` // by which the receiver knows it
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
