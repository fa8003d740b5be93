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

// collect is the scripted step of a collection.
func (a *responses) collect(ctx context.Context, in flow.InsightsInput) (flow.InsightsOutcome, error) {
	a.mu.Lock()
	remaining := a.collections[in.ChannelID]
	if len(remaining) > 1 {
		a.collections[in.ChannelID] = remaining[1:]
	}
	a.mu.Unlock()
	if remaining[0].Note == string(hang) {
		<-ctx.Done()
		return flow.InsightsOutcome{}, ctx.Err()
	}
	return remaining[0], nil
}

func (a *responses) insightsWorker(c client.Client) worker.Worker {
	w := worker.New(c, flow.QueueInsights, worker.Options{})
	w.RegisterWorkflowWithOptions(background.Insights, workflow.RegisterOptions{Name: flow.WorkflowInsights})
	w.RegisterActivityWithOptions(a.collect, activity.RegisterOptions{Name: flow.ActivityCollect})
	return w
}

func (a *responses) insights() []recording {
	done := flow.InsightsOutcome{Done: true, Note: "Collected: every day and every post of the last 90 days."}
	page := flow.InsightsOutcome{Next: flow.InsightsStep{Posts: true}, Note: "Read the days."}
	wait := func(d time.Duration) flow.InsightsOutcome {
		return flow.InsightsOutcome{Wait: d, Next: flow.InsightsStep{Tries: 1}, Note: "The network asks to wait."}
	}
	return []recording{
		a.collection("collected", false, page, done),
		a.collection("rate_limited", false, wait(time.Second), page, done),
		a.collection("stopped", false, flow.InsightsOutcome{Done: true, Note: "Stopped until the channel is reconnected."}),
		a.collection("open_waiting_for_the_network", true, page, wait(far)),
		a.collection("open_reading", true, page, flow.InsightsOutcome{Note: string(hang)}),
	}
}

func (a *responses) collection(name string, open bool, outcomes ...flow.InsightsOutcome) recording {
	in := flow.InsightsInput{
		ChannelID: ident.New[ident.Channel](), WorkspaceID: ident.New[ident.Workspace](), Network: channel.NetworkThreads,
	}
	a.collections[in.ChannelID] = outcomes
	return recording{
		module: "background", name: "insights_" + name, open: open,
		start: func(ctx context.Context, c client.Client) (client.WorkflowRun, error) {
			return c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
				ID: flow.InsightsScheduleID(in.ChannelID), TaskQueue: flow.QueueInsights,
			}, flow.WorkflowInsights, in)
		},
		script: func(ctx context.Context, c client.Client, run client.WorkflowRun) error {
			return until(ctx, c, run, func(kinds map[enums.EventType]int) bool {
				return kinds[enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED] >= len(outcomes)
			})
		},
	}
}
