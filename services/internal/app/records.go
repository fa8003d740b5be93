package app

import (
	"errors"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock"
)

// Records implements the use cases that need only the database: those of leads, ideas, and the lists of webhooks and
// link pages. App includes them. The operator's program, which has neither networks nor files at hand, uses them alone.
type Records struct {
	db        *postgres.DB
	media     *postgres.Media
	labels    *postgres.Labels
	campaigns *postgres.Campaigns
	channels  *postgres.Channels // without their credentials
	webhooks  *postgres.Webhooks
	linkPages *postgres.LinkPages
	ideas     *postgres.Ideas
	auditLog  *postgres.Audit
	clock     clock.Clock
	wake      func(relay.Wake)
}

// RecordsDeps holds the dependencies of Records.
type RecordsDeps struct {
	DB      *postgres.DB
	Keyring *secretbox.Keyring
	Clock   clock.Clock
	// Wake notifies the relay of committed rows. It never blocks. Without it, relays find the rows at their next tick.
	Wake func(relay.Wake)
}

// NewRecords returns the use cases.
func NewRecords(d RecordsDeps) (*Records, error) {
	if d.DB == nil || d.Keyring == nil || d.Clock == nil {
		return nil, errors.New("app: DB, Keyring and Clock are required")
	}
	if d.Wake == nil {
		d.Wake = func(relay.Wake) {}
	}
	return &Records{
		db: d.DB, media: postgres.NewMedia(d.DB), labels: postgres.NewLabels(d.DB), campaigns: postgres.NewCampaigns(d.DB),
		channels: postgres.NewChannels(d.DB, nil), webhooks: postgres.NewWebhooks(d.DB, d.Keyring),
		linkPages: postgres.NewLinkPages(d.DB), ideas: postgres.NewIdeas(d.DB),
		auditLog: postgres.NewAudit(d.DB), clock: d.Clock, wake: d.Wake,
	}, nil
}

// now returns the current time in whole milliseconds, the precision of stored times, so that a response equals a later
// read.
func (r *Records) now() time.Time { return r.clock.Now().UTC().Truncate(time.Millisecond) }
