package postgres

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// Removal is the refusal or the removal of a published post by its network.
type Removal struct {
	Post       ident.Post
	Network    string // its name
	ExternalID string
	Reason     string // for people
	At         time.Time
}

// Remove sets the post to FAILED and its attempt to REJECTED. A post that is no longer PUBLISHED, or that was published
// again, is left as it is.
func (s *Insights) Remove(ctx context.Context, r Removal) error {
	var row struct {
		Post postRow `gorm:"embedded"`
		N    int
	}
	err := s.db.conn(ctx).Table("post p").Select(prefixed("p", "", postColumns)+", c.type AS channel_type, a.n").
		Joins("JOIN channel c ON c.id = p.channel_id").
		Joins("JOIN publish_attempt a ON a.post_id = p.id AND a.state = 'CONFIRMED' AND a.external_id = ?", r.ExternalID).
		Where("p.id = ? AND p.status = ?", r.Post, string(post.Published)).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil
	}
	if err != nil {
		return classify(err)
	}
	before := fromPostRow(row.Post)
	change, err := before.Remove(r.Network, r.Reason, r.At)
	if err != nil {
		return err
	}
	err = NewPosts(s.db).Record(ctx, change, AttemptResult{
		N: row.N, State: post.AttemptRejected, Class: "rejected", Code: post.ErrorRemoved, Message: change.Post.Error.Message,
		ExternalID: r.ExternalID, URL: before.PostURL, Reconciled: true, Revoked: true,
	})
	if errors.Is(err, ErrStale) {
		return nil
	}
	return err
}

// Confirm records that the network shows a post that was published unconfirmed.
func (s *Insights) Confirm(ctx context.Context, id ident.Post) error {
	return classify(s.db.conn(ctx).Table("post").Where("id = ? AND confirmed IS FALSE", id).
		Updates(map[string]any{"confirmed": true, "updated_at": dbNow}).Error)
}
