package workerapp

import (
	"time"

	"socialpub.internal/services/internal/bootstrap"
	"socialpub.internal/services/worker/internal/cleanup"
	"socialpub.internal/shared/infra/objectstore"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/infra/secretbox"
)

const cleanupInterval = 10 * time.Minute

func buildCleanup(
	p *bootstrap.Process, db *postgres.DB, keyring *secretbox.Keyring, objects *objectstore.Store,
) (*cleanup.Cleaner, error) {
	return cleanup.New(cleanup.Config{
		Answers: postgres.NewIdempotency(db, keyring), Imports: postgres.NewImports(db, keyring),
		Limits: postgres.NewRateLimits(db),
		Events: postgres.NewEvents(db), Webhooks: postgres.NewWebhooks(db, keyring), Insights: postgres.NewInsights(db),
		Channels: postgres.NewRenewals(db, nil),
		Uploads:  postgres.NewUploads(db), Loose: postgres.NewLoose(db), Objects: objects, Every: cleanupInterval,
		Clock: p.Clock, Logger: p.Logger,
	})
}
