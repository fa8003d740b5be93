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
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/background"
)

func (a *responses) send(ctx context.Context, in flow.MailInput) (flow.MailOutcome, error) {
	a.mu.Lock()
	remaining := a.mails[in.MailID]
	if len(remaining) > 1 {
		a.mails[in.MailID] = remaining[1:]
	}
	a.mu.Unlock()
	if remaining[0].Note == string(hang) {
		<-ctx.Done()
		return flow.MailOutcome{}, ctx.Err()
	}
	return remaining[0], nil
}

func (a *responses) mailsWorker(c client.Client) worker.Worker {
	w := worker.New(c, flow.QueueMails, worker.Options{})
	w.RegisterWorkflowWithOptions(background.Mail, workflow.RegisterOptions{Name: flow.WorkflowMail})
	w.RegisterActivityWithOptions(a.send, activity.RegisterOptions{Name: flow.ActivitySendMail})
	return w
}

func (a *responses) mailing() []recording {
	sent := flow.MailOutcome{Done: true, Note: "Sent."}
	refused := flow.MailOutcome{Done: true, Refused: true, Note: "The mail server refused the mail with code 550."}
	wait := func(d time.Duration) flow.MailOutcome {
		return flow.MailOutcome{Wait: d, Note: "The mail server cannot be reached."}
	}
	return []recording{
		a.mailRecording("sent", false, sent),
		a.mailRecording("retried", false, wait(time.Second), wait(time.Second), sent),
		a.mailRecording("given_up", false, wait(time.Second), refused),
		a.mailRecording("open_waiting_for_the_server", true, wait(far)),
		a.mailRecording("open_sending", true, wait(time.Second), flow.MailOutcome{Note: string(hang)}),
	}
}

func (a *responses) mailRecording(name string, open bool, outcomes ...flow.MailOutcome) recording {
	in := flow.MailInput{
		MailID: ident.New[ident.Mail](), WorkspaceID: ident.New[ident.Workspace](), Kind: mail.Invitation,
	}
	a.mails[in.MailID] = outcomes
	return recording{
		module: "background", name: "mail_" + name, open: open, failed: outcomes[len(outcomes)-1].Refused,
		start: func(ctx context.Context, c client.Client) (client.WorkflowRun, error) {
			return c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
				ID: flow.MailID(in.MailID), TaskQueue: flow.QueueMails,
			}, flow.WorkflowMail, in)
		},
		script: func(ctx context.Context, c client.Client, run client.WorkflowRun) error {
			return until(ctx, c, run, func(kinds map[enums.EventType]int) bool {
				return kinds[enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED] >= len(outcomes)
			})
		},
	}
}
