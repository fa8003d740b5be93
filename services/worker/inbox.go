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

	actmedia "fencepost.internal/activities/media"
	"fencepost.internal/activities/polling"
	actreceiving "fencepost.internal/activities/receiving"
	actreplying "fencepost.internal/activities/replying"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/domain/lead/score"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
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
	// keepEvery is the time between two looks for comments that may not be kept any longer.
	keepEvery = time.Hour
)

// inboxParts are the parts of the inbox.
type inboxParts struct {
	receiving *actreceiving.Receiving
	sources   *actreceiving.Sources
	replying  *actreplying.Replying
	polling   *polling.Polling
	inbound   *postgres.Inbound
	receipts  *actreplying.Receipts
	fetching  *retry.Loop[postgres.WaitingFile]
	talks     *postgres.Conversations
	log       *slog.Logger
}

func buildInbox(
	cfg config.Worker[connectors.Environment], p *bootstrap.Process, of publisherParts, claims *retry.Metrics,
) (*inboxParts, error) {
	db, keyring, keeper, registry, files := of.db, of.keyring, of.keeper, of.networks.Registry, of.files
	inbound := postgres.NewInbound(db).Rating(score.Of)
	events, err := postgres.NewInboundReceipts(db, p.Clock)
	if err != nil {
		return nil, err
	}
	receiving, err1 := actreceiving.New(actreceiving.Config{
		Store: inbound, Readers: connectors.Readers(), Clock: p.Clock, Logger: p.Logger, Metrics: actreceiving.NewMetrics(p.Registry),
	})
	sources, err2 := actreceiving.NewSources(actreceiving.SourcesConfig{
		Store: postgres.NewInboundSources(db, keyring), Events: events, Access: keeper, Connectors: registry,
		URL: strings.TrimRight(cfg.InboundURL, "/"), MetaToken: cfg.WhatsAppVerifyToken.Reveal(), Clock: p.Clock, Logger: p.Logger,
	})
	replying, err3 := actreplying.New(actreplying.Config{
		Store: postgres.NewReplies(db, keyring), Access: keeper, Connectors: registry, Files: files.attachments, Clock: p.Clock, Logger: p.Logger,
		Metrics: actreplying.NewMetrics(p.Registry), SendWindow: cfg.PublishSendWindow, Timeout: cmp.Or(cfg.CommitTimeout, replyTimeout),
		RetryScale: cfg.RetryScale,
	})
	polls := postgres.NewInboxPolls(db, keyring, events)
	asking, err4 := polling.New(polling.Config{
		Store: polls, Access: keeper, Connectors: registry, Clock: p.Clock, Logger: p.Logger, Reg: p.Registry, Scale: cfg.RetryScale,
	})
	fetching, err5 := actmedia.NewFetcher(actmedia.FetcherConfig{
		Store: postgres.NewMessageFiles(db, keyring), Access: keeper, Connectors: registry, Downloader: files.downloader,
		Loose: postgres.NewLoose(db), Objects: files.objects, Box: files.box, Folder: cfg.MediaFolder, RetryScale: cfg.RetryScale,
		Clock: p.Clock, Logger: p.Logger, Claims: claims, Reg: p.Registry,
	})
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return nil, err
	}
	bootstrap.InboundMetrics(p.Registry, inbound, polls, p.Logger)
	bootstrap.SourceMetrics(p.Registry, postgres.NewInboundSources(db, keyring), p.Logger)
	receipts := &actreplying.Receipts{
		Store: postgres.NewReceipts(db, keyring), Access: keeper, Connectors: registry, Logger: p.Logger,
	}
	return &inboxParts{receiving, sources, replying, asking, inbound, receipts, fetching, postgres.NewConversations(db), p.Logger}, nil
}

// run runs the loops of the inbox until the context is canceled.
func (b *inboxParts) run(ctx context.Context, start func(func())) {
	start(func() { b.receiving.Run(ctx) })
	start(func() { b.sources.Run(ctx) })
	start(func() { b.polling.Run(ctx) })
	start(func() { b.receipts.Run(ctx) })
	start(func() { b.fetching.Run(ctx) })
	start(func() {
		retry.Every(ctx, snoozeEvery, func(ctx context.Context) error {
			_, err := b.talks.Wakes(ctx)
			return err
		}, func(err error) {
			b.log.WarnContext(ctx, "snoozed conversations are not opened", slog.Any("error", err))
		})
	})
	start(func() {
		retry.Every(ctx, keepEvery, b.expire, func(err error) {
			b.log.WarnContext(ctx, "comments are kept for too long", slog.Any("error", err))
		})
	})
}

// expire erases what networks do not let others keep any longer.
func (b *inboxParts) expire(ctx context.Context) error {
	for _, declared := range connectors.Networks() {
		for done := declared.Keep == 0; !done; {
			var err error
			if done, err = b.inbound.Expire(ctx, declared.Network, declared.Keep); err != nil {
				return err
			}
		}
	}
	return nil
}

// queues returns the queues of answers.
func (b *inboxParts) queues() []Queue {
	var queues []Queue
	for n := range connectors.Readers() {
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
