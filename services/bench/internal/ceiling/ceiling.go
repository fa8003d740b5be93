// Package ceiling is what Temporal does on this machine when nobody does anything of their own: empty workflows with one
// activity that does nothing, run by a process of their own with the worker's settings.
package ceiling

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

const (
	// workflowTimed waits for its time and then runs one activity on a queue of activities, as a post does.
	workflowTimed = "Timed"
	// workflowDirect runs one activity on its own queue at once, as a delivery does.
	workflowDirect = "Direct"
	activityEmpty  = "empty"

	queueTimed  = "ceiling.timed"
	queueDirect = "ceiling.direct"
)

// activityQueues are as many as the networks that posts are measured on.
func activityQueues() []string {
	return []string{"ceiling.activity.1", "ceiling.activity.2", "ceiling.activity.3"}
}

// timedInput says when the workflow's timer is due and where its activity runs.
type timedInput struct {
	Due   time.Time `json:"due"`
	Queue string    `json:"queue"`
}

const activityTimeout = time.Minute

func (p *process) timed(ctx workflow.Context, in timedInput) error {
	if err := workflow.NewTimer(ctx, in.Due.Sub(workflow.Now(ctx))).Get(ctx, nil); err != nil {
		return err
	}
	return p.finish(ctx, in.Queue)
}

func (p *process) direct(ctx workflow.Context) error { return p.finish(ctx, queueDirect) }

func (p *process) finish(ctx workflow.Context, queue string) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{TaskQueue: queue, StartToCloseTimeout: activityTimeout})
	err := workflow.ExecuteActivity(ctx, activityEmpty).Get(ctx, nil)
	if !workflow.IsReplaying(ctx) {
		p.ended()
	}
	return err
}
