package postgres

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
)

// Pictures stores copies of the pictures that the accounts of channels have at their networks.
type Pictures struct {
	db    *DB
	loose *Loose
}

// NewPictures returns the store.
func NewPictures(db *DB) *Pictures { return &Pictures{db: db, loose: NewLoose(db)} }

// Due reports whether a channel's picture was never read, or last before the given time.
func (s *Pictures) Due(ctx context.Context, id ident.Channel, before time.Time) (bool, error) {
	var fresh int64
	err := s.db.conn(ctx).Table("channel_picture").Where("channel_id = ? AND read_at >= ?", id, before).Count(&fresh).Error
	return fresh == 0, classify(err)
}

// Set replaces a channel's picture by the object with a loose key; empty: the account has none. The former object serves
// existing links for a day. It returns ErrStale if the object no longer exists, and NOT_FOUND if the channel does not.
func (s *Pictures) Set(ctx context.Context, id ident.Channel, key string, readAt time.Time) error {
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		if key != "" {
			if err := s.loose.take(ctx, key); err != nil {
				return err
			}
		}
		var former []string
		err := s.db.conn(ctx).Table("channel_picture").Where("channel_id = ? AND object_key IS NOT NULL", id).
			Clauses(locking("FOR UPDATE")).Pluck("object_key", &former).Error
		if err == nil && len(former) > 0 {
			err = s.loose.registerAll(ctx, former, media.LinkLife+media.LooseLife)
		}
		if err != nil {
			return err
		}
		return s.db.conn(ctx).Table("channel_picture").Clauses(clause.OnConflict{
			Columns: []clause.Column{{Name: "channel_id"}}, DoUpdates: clause.AssignmentColumns([]string{"object_key", "read_at"}),
		}).Create(map[string]any{"channel_id": id, "object_key": optional(key), "read_at": readAt}).Error
	})
	if isForeignKey(err) {
		return notFound("channel")
	}
	return classify(err)
}
