package main

import (
	"context"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/background"
)

// sweepStep is the scripted step of a sweep: each page has its own result.
func (a *responses) sweepStep(ctx context.Context, page flow.RenewalsPage) (flow.RenewalsFound, error) {
	a.mu.Lock()
	found := a.pages[page.After]
	a.mu.Unlock()
	if found.Note == string(hang) {
		<-ctx.Done()
		return flow.RenewalsFound{}, ctx.Err()
	}
	return found, nil
}

// renew is the scripted try of a renewal.
func (a *responses) renew(ctx context.Context, in flow.RenewalInput) (flow.RenewalOutcome, error) {
	a.mu.Lock()
	remaining := a.renewals[in.ChannelID]
	if len(remaining) > 1 {
		a.renewals[in.ChannelID] = remaining[1:]
	}
	a.mu.Unlock()
	if remaining[0].Note == string(hang) {
		<-ctx.Done()
		return flow.RenewalOutcome{}, ctx.Err()
	}
	return remaining[0], nil
}

func (a *responses) renewalsWorker(c client.Client) worker.Worker {
	w := worker.New(c, flow.QueueRenewals, worker.Options{})
	w.RegisterWorkflowWithOptions(background.RenewalSweep, workflow.RegisterOptions{Name: flow.WorkflowRenewalSweep})
	w.RegisterWorkflowWithOptions(background.Renewal, workflow.RegisterOptions{Name: flow.WorkflowRenewal})
	w.RegisterActivityWithOptions(a.sweepStep, activity.RegisterOptions{Name: flow.ActivitySweepRenewals})
	w.RegisterActivityWithOptions(a.renew, activity.RegisterOptions{Name: flow.ActivityRenew})
	return w
}

// due returns a renewal that a sweep starts. Its outcomes are scripted.
func (a *responses) due(delay time.Duration, outcomes ...flow.RenewalOutcome) flow.RenewalInput {
	in := flow.RenewalInput{
		ChannelID: ident.New[ident.Channel](), WorkspaceID: ident.New[ident.Workspace](), Network: channel.NetworkThreads,
		Delay: delay,
	}
	a.renewals[in.ChannelID] = outcomes
	return in
}

func (a *responses) renewing() []recording {
	renewed := flow.RenewalOutcome{Done: true, Note: "Renewed."}
	refused := flow.RenewalOutcome{Done: true, Refused: true, Note: "Threads no longer accepts this connection."}
	wait := func(d time.Duration) flow.RenewalOutcome {
		return flow.RenewalOutcome{Wait: d, Begun: time.Now().UTC(), Note: "Threads could not be reached."}
	}
	one, two, slow := a.due(0, renewed), a.due(0, renewed), a.due(far, renewed)
	return []recording{
		a.sweep("swept_nothing", false, flow.RenewalsFound{Due: []flow.RenewalInput{}}),
		a.running(slow, a.sweep("swept", false, flow.RenewalsFound{Due: []flow.RenewalInput{one}, More: true},
			flow.RenewalsFound{Due: []flow.RenewalInput{slow, two}})),
		a.sweep("open_sweeping", true, flow.RenewalsFound{Note: string(hang)}),
		a.renewal("renewed", false, time.Second, renewed),
		a.renewal("retried", false, 0, wait(time.Second), renewed),
		a.refused(a.renewal("refused", false, 0, refused)),
		a.renewal("open_waiting_for_its_turn", true, far, renewed),
		a.renewal("open_waiting_for_the_network", true, 0, wait(far)),
		a.renewal("open_renewing", true, 0, flow.RenewalOutcome{Note: string(hang)}),
	}
}

func (a *responses) sweep(name string, open bool, pages ...flow.RenewalsFound) recording {
	first := flow.RenewalsPage{After: ident.New[ident.Channel]()}
	at := first.After
	for _, page := range pages {
		a.pages[at] = page
		if page.More {
			at = page.Due[len(page.Due)-1].ChannelID
		}
	}
	return recording{
		module: "background", name: "renewal_" + name, open: open,
		start: func(ctx context.Context, c client.Client) (client.WorkflowRun, error) {
			return c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
				ID: flow.RenewalsScheduleID + "/" + name + "/" + first.After.String(), TaskQueue: flow.QueueRenewals,
			}, flow.WorkflowRenewalSweep, first)
		},
		script: func(ctx context.Context, c client.Client, run client.WorkflowRun) error {
			return scheduled(ctx, c, run, 1)
		},
	}
}

func (a *responses) renewal(name string, open bool, delay time.Duration, outcomes ...flow.RenewalOutcome) recording {
	in := a.due(delay, outcomes...)
	return recording{
		module: "background", name: "renewal_" + name, open: open,
		start: func(ctx context.Context, c client.Client) (client.WorkflowRun, error) {
			return c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
				ID: flow.RenewalID(in.ChannelID), TaskQueue: flow.QueueRenewals,
			}, flow.WorkflowRenewal, in)
		},
		script: func(ctx context.Context, c client.Client, run client.WorkflowRun) error {
			if delay > time.Hour {
				return until(ctx, c, run, func(kinds map[enums.EventType]int) bool {
					return kinds[enums.EVENT_TYPE_TIMER_STARTED] > 0
				})
			}
			return scheduled(ctx, c, run, len(outcomes))
		},
	}
}

// running starts the renewal before the recording begins.
func (a *responses) running(in flow.RenewalInput, r recording) recording {
	start := r.start
	r.start = func(ctx context.Context, c client.Client) (client.WorkflowRun, error) {
		if _, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
			ID: flow.RenewalID(in.ChannelID), TaskQueue: flow.QueueRenewals,
		}, flow.WorkflowRenewal, in); err != nil {
			return nil, err
		}
		return start(ctx, c)
	}
	return r
}

func (a *responses) refused(r recording) recording {
	r.failed = true
	return r
}

// scheduled waits until the run has scheduled this number of activities.
func scheduled(ctx context.Context, c client.Client, run client.WorkflowRun, activities int) error {
	return until(ctx, c, run, func(kinds map[enums.EventType]int) bool {
		return kinds[enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED] >= activities
	})
}
