package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
)

// RefreshLease identifies one execution's lease on refreshing a channel's credentials. Rotating refresh tokens allow
// only one exchange at a time: two would lock the account out. No transaction is open while the lease is held.
type RefreshLease struct {
	Channel  ident.Channel
	Revision int       // revision of the credentials that are exchanged
	Owner    uuid.UUID // the execution; another one for each attempt
}

// free matches channels whose lease is free, or has ended because its owner crashed. The database's clock decides, so
// that the clocks of the programs need not agree.
const free = `(refreshing_until IS NULL OR refreshing_until <= now())`

// AcquireRefresh takes the lease for the given time and returns the credentials to exchange. It reports false if
// another execution holds the lease, if the credentials have another revision, or if the channel must be reconnected.
func (s *Channels) AcquireRefresh(
	ctx context.Context, lease RefreshLease, lasts time.Duration,
) (stored channel.Credentials, acquired bool, err error) {
	var row channelRow
	result := s.db.conn(ctx).Table("channel").Model(&row).Clauses(clause.Returning{}).
		Where("id = ? AND credentials_rev = ?", lease.Channel, lease.Revision).
		Where("token_status <> ?", string(channel.TokenNeedsReconnect)).
		Where(free).
		Updates(map[string]any{
			"refreshing_by":    lease.Owner,
			"refreshing_until": gorm.Expr("now() + CAST(? AS float8) * interval '1 second'", lasts.Seconds()),
		})
	if result.Error != nil || result.RowsAffected == 0 {
		return channel.Credentials{}, false, classify(result.Error)
	}
	stored, err = openCredentials(s.box, row)
	return stored, true, err
}

// StoreRefreshed stores fresh credentials and ends the lease. It reports false, and stores nothing, if another
// execution holds the lease now, or if the credentials have another revision. A lease that has ended without a new
// owner does not prevent it: the network has already invalidated the old credentials, so the fresh ones must not be
// lost. The notes are added to the channel's timeline in the same transaction. Posts that wait for the channel, which
// another execution may have marked meanwhile, go on.
func (s *Channels) StoreRefreshed(
	ctx context.Context, c channel.Channel, lease RefreshLease, fresh channel.Credentials, notes ...channel.Note,
) (stored bool, err error) {
	sealed, err := s.seal(c.WorkspaceID, c.ID, fresh)
	if err != nil {
		return false, err
	}
	updates := newCredentials(sealed, channel.TokenHealthy)
	// A renewal need not move the end that only a person can extend. The next sweep of renewals decides.
	updates["token_status"] = gorm.Expr("CASE token_status WHEN 'EXPIRING' THEN token_status ELSE 'HEALTHY' END")
	updates["refreshing_by"], updates["refreshing_until"] = nil, nil
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		before, err := s.lockStatus(ctx, c.ID)
		if err != nil {
			return err
		}
		result := s.db.conn(ctx).Table("channel").
			Where("id = ? AND credentials_rev = ?", c.ID, lease.Revision).
			Where(s.db.conn(ctx).Where("refreshing_by = ?", lease.Owner).Or(free)).
			Updates(updates)
		if stored = result.RowsAffected == 1; result.Error != nil || !stored {
			return classify(result.Error)
		}
		for _, note := range notes {
			if err := s.Note(ctx, c.ID, note); err != nil {
				return err
			}
		}
		if err := s.Announce(ctx, c.ID, before); err != nil {
			return err
		}
		return s.resume(ctx, c.ID, connectedAgain)
	})
	return stored && err == nil, err
}

// ReleaseRefresh ends the lease without new credentials. It does nothing if the lease has another owner.
func (s *Channels) ReleaseRefresh(ctx context.Context, lease RefreshLease) error {
	return classify(s.db.conn(ctx).Table("channel").
		Where("id = ? AND refreshing_by = ?", lease.Channel, lease.Owner).
		Updates(map[string]any{"refreshing_by": nil, "refreshing_until": nil}).Error)
}
