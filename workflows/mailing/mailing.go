// Package mailing contains the workflow that sends one mail, however long the mail server is down.
package mailing

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow/mailflow"
)

const (
	// sendTimeout bounds one try, which makes one connection to the mail server.
	sendTimeout = time.Minute
	// triesPerRun bounds the histories.
	triesPerRun = 100

	// codeRefused is the type of the error of a mail that was not sent.
	codeRefused = "MAIL_NOT_SENT"
)

// Mail is the workflow. The activity determines the wait before the next try, and gives a mail up after its time. A
// mail that was given up ends as Failed.
func Mail(ctx workflow.Context, in mailflow.Input) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: sendTimeout,
		// A failure of the mail server is an outcome, not an error, so that only failures of the database are retried here.
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		},
	})
	for range triesPerRun {
		out, err := mailflow.Send(ctx, in)
		if err != nil {
			return err
		}
		workflow.SetCurrentDetails(ctx, out.Note)
		switch {
		case out.Refused:
			return temporal.NewNonRetryableApplicationError(out.Note, codeRefused, nil)
		case out.Done:
			return nil
		}
		in.Tries++
		timer := workflow.NewTimerWithOptions(ctx, out.Wait, workflow.TimerOptions{Summary: out.Note})
		if err := timer.Get(ctx, nil); err != nil {
			return err
		}
	}
	return workflow.NewContinueAsNewError(ctx, mailflow.Workflow, in)
}
