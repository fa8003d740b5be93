package postgres

import (
	"context"
	"errors"
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/kernel/ident"
)

// ErrConnected is returned when a post need not wait for its channel, because the channel was connected again.
var ErrConnected = errors.New("the channel was connected again")

// Hold is Record for a post that waits for its channel to be connected again. It returns ErrConnected, and writes
// nothing, if the channel no longer needs that. The lock on the channel ensures that the change that connects it either
// precedes Hold or finds the waiting post.
func (s *Posts) Hold(ctx context.Context, change post.Change, result AttemptResult) error {
	stale := false
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		var status string
		err := s.db.conn(ctx).Table("channel").Select("token_status").Where("id = ? AND is_connected", change.Post.ChannelID).
			Clauses(locking("FOR SHARE")).Scan(&status).Error
		if err != nil {
			return classify(err)
		}
		if status != string(channel.TokenNeedsReconnect) {
			return ErrConnected
		}
		err = s.Record(ctx, change, result)
		stale = errors.Is(err, ErrStale)
		if stale { // the result of the attempt is kept
			return nil
		}
		return err
	})
	if err == nil && stale {
		return ErrStale
	}
	return err
}

// resume ends the waits of the posts that wait for the channel. The transaction of ctx must have changed the channel,
// whose lock keeps out further waiting posts. A post that an execution has claimed meanwhile is left to that execution.
func (s *Channels) resume(ctx context.Context, id ident.Channel, reason string) error {
	err := s.db.conn(ctx).Table("channel").Where("id = ? AND loss_mailed_at IS NOT NULL", id).
		Update("loss_mailed_at", nil).Error
	if err != nil {
		return classify(err)
	}
	var rows []postRow
	err = s.db.conn(ctx).Table("post").Select(postColumns).
		Where("channel_id = ? AND status = 'SCHEDULED' AND waiting_reason = ?", id, string(post.WaitReconnect)).
		Where("publishing_since IS NULL").Order("scheduled_at, id").Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return classify(err)
	}
	var now time.Time
	if err := s.db.conn(ctx).Raw("SELECT date_trunc('milliseconds', now())").Scan(&now).Error; err != nil {
		return classify(err)
	}
	posts := NewPosts(s.db)
	for _, row := range rows {
		err := posts.Apply(ctx, fromPostRow(row).Resume(now.UTC(), reason))
		if err != nil && !errors.Is(err, ErrStale) {
			return err
		}
	}
	return nil
}

// Reasons of resumed posts, for their timelines.
const (
	connectedAgain = "The channel was connected again. The post is published now."
	noLongerWaits  = "The channel was disconnected."
)

// ScheduledOn returns the posts of the channel that are SCHEDULED and not being published, by their times.
func (s *Posts) ScheduledOn(ctx context.Context, id ident.Channel) ([]post.Post, error) {
	var rows []postRow
	err := s.db.conn(ctx).Table("post").Select(postColumns).
		Where("channel_id = ? AND status = 'SCHEDULED' AND publishing_since IS NULL", id).
		Order("scheduled_at, id").Find(&rows).Error
	posts := make([]post.Post, len(rows))
	for i, row := range rows {
		posts[i] = fromPostRow(row)
	}
	return posts, classify(err)
}
