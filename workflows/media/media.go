// Package media contains the media workflows, which import files by URL and process stored files. The state of a file
// is stored in the database; the workflows only define how often and for how long their activities are tried.
package media

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/flow/mediaflow"
)

const (
	// recordTimeout is the time that an activity has, beyond its transfer, to record its result.
	recordTimeout = 15 * time.Second
	// processTimeout bounds one processing of a file: the transfer of the largest file, and the time of the child
	// process that opens it.
	processTimeout = 10 * time.Minute
	// heartbeatTimeout is the time after which a dead worker is detected.
	heartbeatTimeout = 20 * time.Second
)

// Import is the workflow import/<id>. Failures of the remote side are outcomes. Failures of our own database and
// storage are retried for half a minute while the client waits.
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

// Process is the workflow media/<id>. No client waits for it, so it survives an hour without storage. A file that
// crashes its worker is tried at most eight times.
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

// orElse runs an activity and, if it fails permanently, another one that records the failure.
func orElse(ctx workflow.Context, do, record string, in mediaflow.Input) error {
	out, err := mediaflow.Run(ctx, do, in)
	if err != nil && !temporal.IsCanceledError(err) {
		recording := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			StartToCloseTimeout: recordTimeout,
			// Only failures of our own database are retried here, without a limit.
			RetryPolicy: &temporal.RetryPolicy{
				InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second,
			},
		})
		out, err = mediaflow.Run(recording, record, in)
	}
	if err != nil {
		return err
	}
	workflow.SetCurrentDetails(ctx, out.Note)
	return nil
}
