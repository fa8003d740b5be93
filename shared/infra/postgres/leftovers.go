package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

// Leftovers stores what failed posts left on their networks, until it is deleted there.
type Leftovers struct {
	db       *DB
	channels *Channels
}

// NewLeftovers returns the store.
func NewLeftovers(db *DB, box *secretbox.Keyring) *Leftovers {
	return &Leftovers{db: db, channels: NewChannels(db, box)}
}

// Leftover is an upload that an attempt left on the network of a channel.
type Leftover struct {
	PostID  ident.Post
	N       int
	Channel channel.Channel
	Handle  string // of the preparation
}

// Claim reserves leftovers that no execution is deleting for the time of the lease. It gives up those of attempts that
// ended longer than age ago.
func (s *Leftovers) Claim(ctx context.Context, turn retry.Turn, lease, age time.Duration) ([]Leftover, error) {
	var claimed []Leftover
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		old := s.db.conn(ctx).Table("publish_attempt").
			Where("discard_after IS NOT NULL AND finished_at < ?", dbAgo(age)).Update("discard_after", nil)
		if old.Error != nil {
			return classify(old.Error)
		}
		var rows []struct {
			PostID      ident.Post
			N           int
			Handle      string
			ChannelID   ident.Channel
			WorkspaceID ident.Workspace
		}
		err := s.db.conn(ctx).Raw(claimLeftovers, turnParams(turn, map[string]any{"lease": lease.Seconds()})).Scan(&rows).Error
		if err != nil {
			return classify(err)
		}
		for _, r := range rows {
			found, err := s.channels.Get(ctx, r.WorkspaceID, r.ChannelID)
			if err != nil {
				return err
			}
			claimed = append(claimed, Leftover{PostID: r.PostID, N: r.N, Channel: found, Handle: r.Handle})
		}
		return nil
	})
	return claimed, err
}

// Discarded records that the attempt has left nothing on its network.
func (s *Leftovers) Discarded(ctx context.Context, id ident.Post, n int) error {
	return discarded(ctx, s.db, id, n)
}

// Discarded is Leftovers.Discarded.
func (s *Attempts) Discarded(ctx context.Context, id ident.Post, n int) error {
	return discarded(ctx, s.db, id, n)
}

func discarded(ctx context.Context, db *DB, id ident.Post, n int) error {
	return classify(db.conn(ctx).Table("publish_attempt").Where("post_id = ? AND n = ?", id, n).
		Update("discard_after", nil).Error)
}
