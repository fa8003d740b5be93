package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	actreceiving "fencepost.internal/activities/receiving"
	actreplying "fencepost.internal/activities/replying"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/workflows/background"
)

const (
	// replyConcurrency is the number of answers of a network that one process sends at the same time.
	replyConcurrency = 16
	// replyTimeout is the longest timeout of a call that sends an answer (telegram, whatsapp), unless it is configured.
	replyTimeout = time.Minute
	// snoozeEvery is the time between two looks for conversations whose snooze is over.
	snoozeEvery = 15 * time.Second
)

// inboxParts are the parts of the inbox.
type inboxParts struct {
	receiving *actreceiving.Receiving
	sources   *actreceiving.Sources
	replying  *actreplying.Replying
	talks     *postgres.Conversations
	log       *slog.Logger
}

func buildInbox(
	cfg config.Worker[connectors.Environment], p *bootstrap.Process, db *postgres.DB, keyring *secretbox.Keyring,
	keeper *access.Keeper, registry *platform.Registry,
) (*inboxParts, error) {
	inbound := postgres.NewInbound(db)
	events, err := postgres.NewInboundReceipts(db, p.Clock)
	if err != nil {
		return nil, err
	}
	receiving, err1 := actreceiving.New(actreceiving.Config{
		Store: inbound, Receivers: connectors.Receivers(), Clock: p.Clock, Logger: p.Logger, Metrics: actreceiving.NewMetrics(p.Registry),
	})
	sources, err2 := actreceiving.NewSources(actreceiving.SourcesConfig{
		Store: postgres.NewInboundSources(db, keyring), Events: events, Access: keeper, Connectors: registry,
		URL: strings.TrimRight(cfg.InboundURL, "/"), MetaToken: cfg.WhatsAppVerifyToken.Reveal(), Clock: p.Clock, Logger: p.Logger, Reg: p.Registry,
	})
	replying, err3 := actreplying.New(actreplying.Config{
		Store: postgres.NewReplies(db, keyring), Access: keeper, Connectors: registry, Clock: p.Clock, Logger: p.Logger,
		Metrics: actreplying.NewMetrics(p.Registry), SendWindow: cfg.PublishSendWindow, Timeout: cmp.Or(cfg.CommitTimeout, replyTimeout),
		RetryScale: cfg.RetryScale,
	})
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	bootstrap.InboundMetrics(p.Registry, inbound, p.Logger)
	return &inboxParts{receiving, sources, replying, postgres.NewConversations(db), p.Logger}, nil
}

// run runs the loops of the inbox until the context is canceled.
func (b *inboxParts) run(ctx context.Context, start func(func())) {
	start(func() { b.receiving.Run(ctx) })
	start(func() { b.sources.Run(ctx) })
	start(func() {
		retry.Every(ctx, snoozeEvery, func(ctx context.Context) error {
			_, err := b.talks.Wakes(ctx)
			return err
		}, func(err error) {
			b.log.WarnContext(ctx, "snoozed conversations are not opened", slog.Any("error", err))
		})
	})
}

// queues returns the queues of answers.
func (b *inboxParts) queues() []Queue {
	var queues []Queue
	for n := range connectors.Receivers() {
		queues = append(queues, Queue{
			Name: flow.QueueReplies(n), Workflows: true, Activities: true,
			Options: worker.Options{MaxConcurrentActivityExecutionSize: replyConcurrency},
			Register: func(w worker.Worker) {
				w.RegisterWorkflowWithOptions(background.Reply, workflow.RegisterOptions{Name: flow.WorkflowReply})
				w.RegisterActivityWithOptions(b.replying.Send, activity.RegisterOptions{Name: flow.ActivitySendReply})
			},
		})
	}
	return queues
}
