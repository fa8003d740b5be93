package main

import (
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	actinsights "fencepost.internal/activities/insights"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/workflows/background"
)

// schedules returns the store whose schedules the sweep reconciles, or nil if schedules are disabled.
func schedules(cfg config.Worker[connectors.Environment], db *postgres.DB) relay.ScheduleStore {
	if !cfg.InsightSchedules {
		return nil
	}
	return postgres.NewInsights(db)
}

func buildInsights(
	cfg config.Worker[connectors.Environment], p *bootstrap.Process, db *postgres.DB, keeper *access.Keeper, registry *platform.Registry,
	pictures actinsights.Pictures,
) (*actinsights.Collector, error) {
	metrics := actinsights.NewMetrics(p.Registry)
	for _, kind := range registry.Insightful() {
		metrics.Expect(kind.Network())
	}
	metrics.Expect(channel.NetworkTest)
	return actinsights.New(actinsights.Config{
		Store: postgres.NewInsights(db), Access: keeper, Networks: registry, Pictures: pictures, Clock: p.Clock, Logger: p.Logger,
		Metrics: metrics, PerSecond: cfg.InsightPerSecond, Concurrency: cfg.InsightConcurrency,
		RetryScale: cfg.RetryScale,
	})
}

// insightsQueue returns the queue for the collection of figures. It is a separate queue with a small number of slots,
// so that it does not compete with publications.
func insightsQueue(collector *actinsights.Collector, concurrency int) Queue {
	return Queue{
		Name: flow.QueueInsights, Workflows: true, Activities: true,
		Options: worker.Options{MaxConcurrentActivityExecutionSize: concurrency},
		Register: func(w worker.Worker) {
			w.RegisterWorkflowWithOptions(background.Insights, workflow.RegisterOptions{Name: flow.WorkflowInsights})
			w.RegisterActivityWithOptions(collector.Collect, activity.RegisterOptions{Name: flow.ActivityCollect})
		},
	}
}
