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
	"fencepost.internal/shared/flow/insightsflow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/insights"
)

// collect is the scripted step of a collection.
func (a *responses) collect(ctx context.Context, in insightsflow.Input) (insightsflow.Outcome, error) {
	a.mu.Lock()
	remaining := a.collections[in.ChannelID]
	if len(remaining) > 1 {
		a.collections[in.ChannelID] = remaining[1:]
	}
	a.mu.Unlock()
	if remaining[0].Note == string(hang) {
		<-ctx.Done()
		return insightsflow.Outcome{}, ctx.Err()
	}
	return remaining[0], nil
}

func (a *responses) insightsWorker(c client.Client) worker.Worker {
	w := worker.New(c, insightsflow.Queue, worker.Options{})
	w.RegisterWorkflowWithOptions(insights.Insights, workflow.RegisterOptions{Name: insightsflow.Workflow})
	w.RegisterActivityWithOptions(a.collect, activity.RegisterOptions{Name: insightsflow.ActivityCollect})
	return w
}

func (a *responses) insights() []recording {
	done := insightsflow.Outcome{Done: true, Note: "Collected: every day and every post of the last 90 days."}
	page := insightsflow.Outcome{Next: insightsflow.Step{Posts: true}, Note: "Read the days."}
	wait := func(d time.Duration) insightsflow.Outcome {
		return insightsflow.Outcome{Wait: d, Next: insightsflow.Step{Tries: 1}, Note: "The network asks to wait."}
	}
	return []recording{
		a.collection("collected", false, page, done),
		a.collection("rate_limited", false, wait(time.Second), page, done),
		a.collection("stopped", false, insightsflow.Outcome{Done: true, Note: "Stopped until the channel is reconnected."}),
		a.collection("open_waiting_for_the_network", true, page, wait(far)),
		a.collection("open_reading", true, page, insightsflow.Outcome{Note: string(hang)}),
	}
}

func (a *responses) collection(name string, open bool, outcomes ...insightsflow.Outcome) recording {
	in := insightsflow.Input{
		ChannelID: ident.New[ident.Channel](), WorkspaceID: ident.New[ident.Workspace](), Network: channel.NetworkThreads,
	}
	a.collections[in.ChannelID] = outcomes
	return recording{
		module: "insights", name: name, open: open,
		start: func(ctx context.Context, c client.Client) (client.WorkflowRun, error) {
			return c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
				ID: insightsflow.ScheduleID(in.ChannelID), TaskQueue: insightsflow.Queue,
			}, insightsflow.Workflow, in)
		},
		script: func(ctx context.Context, c client.Client, run client.WorkflowRun) error {
			return until(ctx, c, run, func(kinds map[enums.EventType]int) bool {
				return kinds[enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED] >= len(outcomes)
			})
		},
	}
}
