// Package media has the workflows of files: the import by address, and the look into a file that has arrived. Everything that
// is known of a file stands in its rows; here is only how often, and for how long, its activities are tried.
package media

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/flow/mediaflow"
)

const (
	// recordTimeout is what an activity gets beyond the time of its transfer, to record how it ended.
	recordTimeout = 15 * time.Second
	// processTimeout bounds one look into a file: the transfer of the largest there is, and a child's time to open it.
	processTimeout = 10 * time.Minute
	// heartbeatTimeout is how soon it is noticed that a worker died.
	heartbeatTimeout = 20 * time.Second
)

// Import is the workflow import/<id>. What the other side does wrong is an outcome; what is retried, for half a minute while the
// client waits, is our own database and storage.
func Import(ctx workflow.Context, in mediaflow.Input) error {
	importing := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout:    media.ImportLife + recordTimeout,
		ScheduleToCloseTimeout: media.ImportLife + 4*recordTimeout,
		HeartbeatTimeout:       heartbeatTimeout,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 4 * time.Second, BackoffCoefficient: 2, MaximumInterval: 16 * time.Second, MaximumAttempts: 4,
		},
	})
	return orElse(importing, mediaflow.ActivityImport, mediaflow.ActivityFailImport, in)
}

// Process is the workflow media/<id>. Nobody waits for it, so it outlasts an hour without storage; but a file that takes its
// worker down with it gets no more than eight tries.
func Process(ctx workflow.Context, in mediaflow.Input) error {
	processing := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: processTimeout,
		HeartbeatTimeout:    heartbeatTimeout,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 10 * time.Second, BackoffCoefficient: 4, MaximumInterval: 16 * time.Minute, MaximumAttempts: 8,
		},
	})
	return orElse(processing, mediaflow.ActivityProcess, mediaflow.ActivityGiveUp, in)
}

// orElse runs an activity and, when it has failed for good, the one that records so.
func orElse(ctx workflow.Context, do, record string, in mediaflow.Input) error {
	out, err := mediaflow.Run(ctx, do, in)
	if err != nil && !temporal.IsCanceledError(err) {
		recording := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			StartToCloseTimeout: recordTimeout,
			// Only our own database's silence is retried here, for as long as it lasts.
			RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second},
		})
		out, err = mediaflow.Run(recording, record, in)
	}
	if err != nil {
		return err
	}
	workflow.SetCurrentDetails(ctx, out.Note)
	return nil
}
