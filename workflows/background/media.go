package background

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/flow"
)

const (
	// recordTimeout is the time that an activity has, beyond its transfer, to record its result.
	recordTimeout = 15 * time.Second
	// processTimeout bounds one processing of a file: the transfer of the largest file, and the time of the child
	// process that opens it.
	processTimeout = 10 * time.Minute
)

// ImportFile is the workflow import/<id>. Failures of the remote side are outcomes. Failures of our own database and
// storage are retried for half a minute while the client waits.
func ImportFile(ctx workflow.Context, in flow.MediaInput) error {
	importing := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout:    media.ImportLife + recordTimeout,
		ScheduleToCloseTimeout: media.ImportLife + 4*recordTimeout,
		HeartbeatTimeout:       heartbeatTimeout,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 4 * time.Second, BackoffCoefficient: 2, MaximumInterval: 16 * time.Second, MaximumAttempts: 4,
		},
	})
	return orElse(importing, flow.ActivityImport, flow.ActivityFailImport, in)
}

// ProcessFile is the workflow media/<id>. No client waits for it, so it survives an hour without storage. A file that
// crashes its worker is tried at most eight times.
func ProcessFile(ctx workflow.Context, in flow.MediaInput) error {
	processing := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: processTimeout,
		HeartbeatTimeout:    heartbeatTimeout,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 10 * time.Second, BackoffCoefficient: 4, MaximumInterval: 16 * time.Minute, MaximumAttempts: 8,
		},
	})
	return orElse(processing, flow.ActivityProcess, flow.ActivityGiveUp, in)
}

// orElse runs an activity and, if it fails permanently, another one that records the failure.
func orElse(ctx workflow.Context, do, record string, in flow.MediaInput) error {
	out, err := flow.RunMedia(ctx, do, in)
	if err != nil && !temporal.IsCanceledError(err) {
		recording := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			StartToCloseTimeout: recordTimeout,
			// Only failures of our own database are retried here, without a limit.
			RetryPolicy: &temporal.RetryPolicy{
				InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second,
			},
		})
		out, err = flow.RunMedia(recording, record, in)
	}
	if err != nil {
		return err
	}
	workflow.SetCurrentDetails(ctx, out.Note)
	return nil
}
