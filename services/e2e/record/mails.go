package main

import (
	"context"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/flow/mailflow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/mailing"
)

func (a *responses) send(ctx context.Context, in mailflow.Input) (mailflow.Outcome, error) {
	a.mu.Lock()
	remaining := a.mails[in.MailID]
	if len(remaining) > 1 {
		a.mails[in.MailID] = remaining[1:]
	}
	a.mu.Unlock()
	if remaining[0].Note == string(hang) {
		<-ctx.Done()
		return mailflow.Outcome{}, ctx.Err()
	}
	return remaining[0], nil
}

func (a *responses) mailsWorker(c client.Client) worker.Worker {
	w := worker.New(c, mailflow.Queue, worker.Options{})
	w.RegisterWorkflowWithOptions(mailing.Mail, workflow.RegisterOptions{Name: mailflow.Workflow})
	w.RegisterActivityWithOptions(a.send, activity.RegisterOptions{Name: mailflow.ActivitySend})
	return w
}

func (a *responses) mailing() []recording {
	sent := mailflow.Outcome{Done: true, Note: "Sent."}
	refused := mailflow.Outcome{Done: true, Refused: true, Note: "The mail server refused the mail with code 550."}
	wait := func(d time.Duration) mailflow.Outcome {
		return mailflow.Outcome{Wait: d, Note: "The mail server cannot be reached."}
	}
	return []recording{
		a.mailRecording("sent", false, sent),
		a.mailRecording("retried", false, wait(time.Second), wait(time.Second), sent),
		a.mailRecording("given_up", false, wait(time.Second), refused),
		a.mailRecording("open_waiting_for_the_server", true, wait(far)),
		a.mailRecording("open_sending", true, wait(time.Second), mailflow.Outcome{Note: string(hang)}),
	}
}

func (a *responses) mailRecording(name string, open bool, outcomes ...mailflow.Outcome) recording {
	in := mailflow.Input{
		MailID: ident.New[ident.Mail](), WorkspaceID: ident.New[ident.Workspace](), Kind: mail.Invitation,
	}
	a.mails[in.MailID] = outcomes
	return recording{
		module: "mailing", name: name, open: open, failed: outcomes[len(outcomes)-1].Refused,
		start: func(ctx context.Context, c client.Client) (client.WorkflowRun, error) {
			return c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
				ID: mailflow.ID(in.MailID), TaskQueue: mailflow.Queue,
			}, mailflow.Workflow, in)
		},
		script: func(ctx context.Context, c client.Client, run client.WorkflowRun) error {
			return until(ctx, c, run, func(kinds map[enums.EventType]int) bool {
				return kinds[enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED] >= len(outcomes)
			})
		},
	}
}
