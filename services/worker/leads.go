package main

import (
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	actreminding "fencepost.internal/activities/reminding"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/workflows/background"
)

// followupConcurrency is the number of reminders that one process writes at the same time.
const followupConcurrency = 8

// reminders returns the store of reminders. Without a mail server, people are notified by the other ways.
func reminders(cfg config.Worker[connectors.Environment], db *postgres.DB, keyring *secretbox.Keyring) *postgres.Reminders {
	store := postgres.NewReminders(db, keyring)
	if cfg.SMTPHost == "" {
		return store.WithoutMails()
	}
	return store
}

// followupQueue returns the queue of follow-ups.
func followupQueue(r *actreminding.Reminding) Queue {
	return Queue{
		Name: flow.QueueFollowups, Workflows: true, Activities: true,
		Options: worker.Options{MaxConcurrentActivityExecutionSize: followupConcurrency},
		Register: func(w worker.Worker) {
			w.RegisterWorkflowWithOptions(background.Followup, workflow.RegisterOptions{Name: flow.WorkflowFollowup})
			w.RegisterActivityWithOptions(r.Remind, activity.RegisterOptions{Name: flow.ActivityRemind})
		},
	}
}
