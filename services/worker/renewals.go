package main

import (
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	actrenewing "fencepost.internal/activities/renewing"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/workflows/background"
)

// renewalConcurrency is the maximum number of concurrent renewals of this process.
const renewalConcurrency = 8

func buildRenewer(
	cfg config.Worker[connectors.Environment], p *bootstrap.Process, db *postgres.DB, keyring *secretbox.Keyring,
	keeper *access.Keeper, registry *platform.Registry,
) (*actrenewing.Renewer, error) {
	metrics := actrenewing.NewMetrics(p.Registry)
	for _, n := range registry.Networks() {
		metrics.Expect(n)
	}
	return actrenewing.New(actrenewing.Config{
		Store: postgres.NewRenewals(db, keyring), Access: keeper, Networks: registry, Clock: p.Clock, Logger: p.Logger,
		Metrics: metrics, RetryScale: cfg.RetryScale, Remind: tellers(cfg, db, keyring).Remind,
	})
}

// renewalQueue returns the queue of renewals, which wait for no publication and delay none.
func renewalQueue(renewer *actrenewing.Renewer) Queue {
	return Queue{
		Name: flow.QueueRenewals, Workflows: true, Activities: true,
		Options: worker.Options{MaxConcurrentActivityExecutionSize: renewalConcurrency},
		Register: func(w worker.Worker) {
			w.RegisterWorkflowWithOptions(background.RenewalSweep, workflow.RegisterOptions{Name: flow.WorkflowRenewalSweep})
			w.RegisterWorkflowWithOptions(background.Renewal, workflow.RegisterOptions{Name: flow.WorkflowRenewal})
			w.RegisterActivityWithOptions(renewer.Sweep, activity.RegisterOptions{Name: flow.ActivitySweepRenewals})
			w.RegisterActivityWithOptions(renewer.Renew, activity.RegisterOptions{Name: flow.ActivityRenew})
		},
	}
}
