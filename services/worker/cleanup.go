package main

import (
	"time"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/worker/internal/cleanup"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
)

const cleanupInterval = 10 * time.Minute

func buildCleanup(
	cfg config.Retention, p *bootstrap.Process, db *postgres.DB, keyring *secretbox.Keyring, objects *objectstore.Store,
) (*cleanup.Cleaner, error) {
	return cleanup.New(cleanup.Config{
		Responses: postgres.NewIdempotency(db, keyring), Imports: postgres.NewImports(db, keyring),
		Limits: postgres.NewRateLimits(db),
		Events: postgres.NewEvents(db), Webhooks: postgres.NewWebhooks(db, keyring), Insights: postgres.NewInsights(db),
		Channels: postgres.NewRenewals(db, nil), Connects: postgres.NewConnects(db, keyring), Inbound: postgres.NewInbound(db), Talks: postgres.NewInboxes(db),
		Requests: postgres.NewRequests(db),
		Uploads:  postgres.NewUploads(db), Loose: postgres.NewLoose(db), Objects: objects, Every: cleanupInterval,
		Visits: postgres.NewVisitDays(db), Timelines: postgres.NewTimelines(db), Attempts: postgres.NewSettledAttempts(db),
		Posts: postgres.NewEndedPosts(db),
		Ages: cleanup.Ages{
			Analytics: cfg.AnalyticsRetention.After(), History: cfg.HistoryRetention.After(), Posts: cfg.PostRetention.After(),
		},
		Clock: p.Clock, Logger: p.Logger, Metrics: cleanup.NewMetrics(p.Registry),
	})
}
