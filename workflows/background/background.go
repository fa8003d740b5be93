// Package background contains the workflows beside publishing: deliveries to webhooks and their replay, mails, renewals of
// the credentials of channels, the daily collection of figures, and the import and processing of files. Their activities record what
// happened and say when to continue; the workflows define how often and for how long they are tried.
package background

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

const (
	// heartbeatTimeout is the time after which a dead worker is detected.
	heartbeatTimeout = 20 * time.Second
	// triesPerRun bounds the histories of mails and renewals.
	triesPerRun = 100
)

// step is the report of an activity.
type step struct {
	done bool
	// refused is the type of the error with which the workflow ends as Failed; empty unless there is no remedy.
	refused string
	wait    time.Duration // if not done: before the next step
	note    string        // for the operator
}

// repeat takes steps until one is the last. After the given number of steps, which bounds the history, the workflow of
// that name continues as a new run with the input, as the steps left it.
func repeat[In any](ctx workflow.Context, most int, name string, in *In, take func() (step, error)) error {
	for range most {
		s, err := take()
		if err != nil {
			return err
		}
		workflow.SetCurrentDetails(ctx, s.note)
		switch {
		case s.refused != "":
			return temporal.NewNonRetryableApplicationError(s.note, s.refused, nil)
		case s.done:
			return nil
		}
		if err := pause(ctx, s.wait, s.note); err != nil {
			return err
		}
	}
	return workflow.NewContinueAsNewError(ctx, name, *in)
}

// refusal returns the code of a refusal for good.
func refusal(refused bool, code string) string {
	if refused {
		return code
	}
	return ""
}

// pause waits, without a timer if there is no wait.
func pause(ctx workflow.Context, wait time.Duration, reason string) error {
	if wait <= 0 {
		return nil
	}
	return workflow.NewTimerWithOptions(ctx, wait, workflow.TimerOptions{Summary: reason}).Get(ctx, nil)
}

// bounded returns the options of an activity with the time for one try. Failures of networks and of the mail server are
// outcomes, not errors, so that only failures of our own database are retried here.
func bounded(ctx workflow.Context, timeout, heartbeat time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: timeout,
		HeartbeatTimeout:    heartbeat,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		},
	})
}
