package main

import (
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	actmailing "fencepost.internal/activities/mailing"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/relay"
	"fencepost.internal/services/internal/report"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/workflows/background"
)

// mailConcurrency is the maximum number of concurrent connections of this process to the mail server. Mail servers
// limit them.
const mailConcurrency = 4

// Messages to chats: how many are sent at once, so that some that hang leave room for others, the time of each, and the User-Agent.
const (
	hookConcurrency = 32
	hookTimeout     = 5 * time.Second
	noticeAgent     = "Fencepost-Notifications/1"
)

func buildMailing(
	cfg config.Worker[connectors.Environment], p *bootstrap.Process, db *postgres.DB, keyring *secretbox.Keyring,
	policy *egress.Policy, files *objectstore.Store,
) (*actmailing.Mailing, error) {
	mails := postgres.NewMails(db, keyring)
	figures, err := app.NewFigures(app.FiguresDeps{
		DB: db, Keyring: keyring, Files: files, Coverage: connectors.Coverage, Clock: p.Clock,
	})
	if err != nil {
		return nil, err
	}
	hooks, err := egress.NewClient(egress.Config{
		Policy: policy, Profile: egress.Webhook, UserAgent: noticeAgent, Timeout: hookTimeout,
	})
	if err != nil {
		return nil, err
	}
	bootstrap.MailMetrics(p.Registry, mails, p.Logger)
	created := actmailing.Config{
		Store: mails, Hooks: hooks, Reports: report.Maker{Figures: figures}, AppURL: cfg.AppURL, Clock: p.Clock, Logger: p.Logger,
		Metrics: actmailing.NewMetrics(p.Registry), RetryScale: cfg.RetryScale,
	}
	bot, err := cfg.Networks.Bot(cfg.TelegramBot.Reveal(), p.Clock)
	if err != nil {
		return nil, err
	}
	if bot != nil {
		created.Bot = bot
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
		Store: tellers(cfg, db, keyring), Wake: func() { carrier.Wake(relay.Messages) },
		Clock: p.Clock, Logger: p.Logger,
	}
}

// tellers returns the store of messages. Without a mail server, people are notified by the other ways.
func tellers(cfg config.Worker[connectors.Environment], db *postgres.DB, keyring *secretbox.Keyring) *postgres.Mails {
	mails := postgres.NewMails(db, keyring)
	if cfg.SMTPHost == "" {
		return mails.WithoutMails()
	}
	return mails
}

// mailQueue returns a queue of messages. Each way has its own, so that one that hangs delays no other.
func mailQueue(m *actmailing.Mailing, name string, concurrency int) Queue {
	return Queue{
		Name: name, Workflows: true, Activities: true,
		Options: worker.Options{MaxConcurrentActivityExecutionSize: concurrency},
		Register: func(w worker.Worker) {
			w.RegisterWorkflowWithOptions(background.Mail, workflow.RegisterOptions{Name: flow.WorkflowMail})
			w.RegisterActivityWithOptions(m.Send, activity.RegisterOptions{Name: flow.ActivitySendMail})
		},
	}
}
