package main

import (
	"context"
	"time"

	actpublishing "fencepost.internal/activities/publishing"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform/access"
	"fencepost.internal/shared/platform/connectors"
)

// publisherParts holds the dependencies of the publisher.
type publisherParts struct {
	db       *postgres.DB
	keyring  *secretbox.Keyring
	keeper   *access.Keeper
	files    *mediaParts
	networks *bootstrap.Networks
	channels *postgres.Channels
	carrier  *relay.Relay
}

func buildPublisher(
	cfg config.Worker[connectors.Environment], p *bootstrap.Process, of publisherParts,
) (*actpublishing.Publisher, error) {
	mails := tellers(cfg, of.db, of.keyring)
	return actpublishing.NewPublisher(actpublishing.Config{
		Attempts: postgres.NewAttempts(of.db, of.keyring), Posts: postgres.NewPosts(of.db), Channels: of.channels,
		Media: postgres.NewMedia(of.db), Files: of.files.attachments, Renditions: of.files.converter, Access: of.keeper,
		Connectors: of.networks.Registry, Rules: connectors.Rules(), Clock: p.Clock, Logger: p.Logger,
		Metrics: actpublishing.NewMetrics(p.Registry), Wake: func() { of.carrier.Wake(relay.Events) },
		SendWindow: cfg.PublishSendWindow, ReadDelay: cfg.PublishReadDelay, CommitTimeout: cfg.CommitTimeout,
		RetryScale: cfg.RetryScale,
		NotifyLoss: func(ctx context.Context, id ident.Channel, now time.Time) error {
			sent, err := mails.NotifyLoss(ctx, id, now)
			if sent > 0 {
				of.carrier.Wake(relay.Messages)
			}
			return err
		},
	})
}
