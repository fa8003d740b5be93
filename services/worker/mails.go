package main

import (
	"log/slog"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	actmailing "fencepost.internal/activities/mailing"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/workflows/background"
)

// mailConcurrency is the maximum number of concurrent connections of this process to the mail server. Mail servers
// limit them.
const mailConcurrency = 4

func buildMailing(
	cfg config.Worker[connectors.Environment], p *bootstrap.Process, db *postgres.DB, keyring *secretbox.Keyring,
) (*actmailing.Mailing, error) {
	mails := postgres.NewMails(db, keyring)
	bootstrap.MailMetrics(p.Registry, mails, p.Logger)
	created := actmailing.Config{
		Store: mails, AppURL: cfg.AppURL, Clock: p.Clock, Logger: p.Logger,
		Metrics: actmailing.NewMetrics(p.Registry), RetryScale: cfg.RetryScale,
	}
	sender, err := bootstrap.Mailer(cfg.Mail)
	if err != nil {
		return nil, err
	}
	if sender != nil {
		created.Sender = sender
		p.Logger.Info("mails are sent", slog.String("host", cfg.SMTPHost), slog.String("tls", cfg.SMTPTLS))
	}
	return actmailing.New(created)
}

func buildNotices(
	cfg config.Worker[connectors.Environment], p *bootstrap.Process, db *postgres.DB, keyring *secretbox.Keyring,
	carrier *relay.Relay,
) *actmailing.Notices {
	return &actmailing.Notices{
		Store: postgres.NewMails(db, keyring), Sends: cfg.SMTPHost != "", Wake: func() { carrier.Wake(relay.Messages) },
		Clock: p.Clock, Logger: p.Logger,
	}
}

// mailQueue returns the queue of mails.
func mailQueue(m *actmailing.Mailing) Queue {
	return Queue{
		Name: flow.QueueMails, Workflows: true, Activities: true,
		Options: worker.Options{MaxConcurrentActivityExecutionSize: mailConcurrency},
		Register: func(w worker.Worker) {
			w.RegisterWorkflowWithOptions(background.Mail, workflow.RegisterOptions{Name: flow.WorkflowMail})
			w.RegisterActivityWithOptions(m.Send, activity.RegisterOptions{Name: flow.ActivitySendMail})
		},
	}
}
