package postgres

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
)

// keptAtNetwork replaces the text of an erased comment, whose permalink stays.
const keptAtNetwork = "a comment that is kept at its network only"

// keepBatch is the number of messages that one transaction erases.
const keepBatch = 500

// Expire erases what people wrote in public to channels of a network longer ago than it lets others keep that, and the names
// of those who wrote nothing since. It returns false if there may be more.
func (s *Inbound) Expire(ctx context.Context, n channel.Network, keep time.Duration) (done bool, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		old := s.db.conn(ctx).Table("message m").Joins("JOIN conversation v ON v.id = m.conversation_id").
			Joins("JOIN channel c ON c.id = m.channel_id").Select("m.id").
			Where("c.type IN ? AND v.kind <> ? AND m.direction = 'IN' AND m.text <> '' AND m.sent_at < (?)", typesOf(n), inbox.Messages, dbAgo(keep)).
			Limit(keepBatch)
		var of []string
		err := s.db.conn(ctx).Raw(`UPDATE message SET text = '', unsupported = ? WHERE id IN (?) RETURNING conversation_id`, keptAtNetwork, old).
			Scan(&of).Error
		if err != nil {
			return classify(err)
		}
		done = len(of) < keepBatch
		if err := previewed(ctx, s.db, of); err != nil {
			return err
		}
		return classify(s.db.conn(ctx).Table("person_identity").
			Where("network = ? AND seen_at < (?) AND (name <> value OR username <> '')", n, dbAgo(keep)).
			Updates(map[string]any{"name": gorm.Expr("value"), "username": ""}).Error)
	})
	return done, err
}
