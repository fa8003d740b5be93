package postgres

import (
	"context"
	"errors"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// ErrNotHeld is returned when a post need not wait, because its channel was connected or resumed, or its predecessor has ended.
var ErrNotHeld = errors.New("what the post waits for has happened")

// Hold is Record for a post that waits for a person to connect its channel again, or to resume it, or for its predecessor. It
// returns ErrNotHeld, and writes nothing, if that has happened. The locks ensure that the change that ends the
// wait either precedes Hold or finds the waiting post.
func (s *Posts) Hold(ctx context.Context, change post.Change, result AttemptResult) error {
	stale := false
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		held, err := s.held(ctx, change.Post)
		if err != nil {
			return err
		}
		if !held {
			return ErrNotHeld
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

// held reports whether the channel, or the predecessor, still is in the state for whose end the post waits, and locks that state.
func (s *Posts) held(ctx context.Context, p post.Post) (held bool, err error) {
	if p.Waiting.Reason == post.WaitAfterPost {
		var row beforeRow
		err = s.db.conn(ctx).Raw("SELECT status, published_at, post_url FROM post WHERE id = ? FOR SHARE", p.After.PostID).Scan(&row).Error
		turn, _ := p.TurnAfter(fromBeforeRow(row))
		return turn == post.TurnWait, classify(err)
	}
	from, lock := "SELECT true FROM channel c WHERE c.id = ? AND c.is_connected AND c.token_status = 'NEEDS_RECONNECT'", "c"
	if p.Waiting.Reason == post.WaitPaused {
		from, lock = `SELECT c.is_queue_paused OR w.publishing_stopped_at IS NOT NULL
			FROM channel c JOIN workspace w ON w.id = c.workspace_id WHERE c.id = ?`, "c, w"
	}
	err = s.db.conn(ctx).Raw(from+" FOR SHARE OF "+lock, p.ChannelID).Scan(&held).Error
	return held, classify(err)
}

// resume ends the waits of the posts that wait for the channel to be connected. The transaction of ctx must have changed
// the channel, whose lock keeps out further waiting posts. A post that an execution has claimed meanwhile is left to that
// execution.
func (s *Channels) resume(ctx context.Context, id ident.Channel, reason string) error {
	err := s.db.conn(ctx).Table("channel").Where("id = ? AND loss_mailed_at IS NOT NULL", id).
		Update("loss_mailed_at", nil).Error
	if err != nil {
		return classify(err)
	}
	if err := s.db.conn(ctx).Table("notice_cause").Where("channel_id = ?", id).Delete(nil).Error; err != nil {
		return classify(err)
	}
	var rows []postRow
	err = s.db.conn(ctx).Table("post").Select(postRead).
		Where("channel_id = ? AND status = 'SCHEDULED' AND waiting_reason = ?", id, string(post.WaitReconnect)).
		Where("publishing_since IS NULL").Order("scheduled_at, id").Find(&rows).Error
	if err != nil {
		return classify(err)
	}
	return s.resumePosts(ctx, fromPostRows(rows), post.WaitReconnect, reason)
}

// resumePosts gives the posts new plans. Those that changed meanwhile are left as they are.
func (s *Channels) resumePosts(ctx context.Context, waiting []post.Post, wait post.WaitReason, reason string) error {
	if len(waiting) == 0 {
		return nil
	}
	now, err := s.db.now(ctx)
	if err != nil {
		return err
	}
	posts := NewPosts(s.db)
	for _, p := range waiting {
		err := posts.Apply(ctx, p.Resume(wait, now, reason))
		if err != nil && !errors.Is(err, ErrStale) {
			return err
		}
	}
	return nil
}

// Reasons of resumed posts, for their timelines.
const (
	connectedAgain = "The channel was connected again. The post is published now."
	resumedAgain   = "The channel was resumed. The post is published now."
	noLongerWaits  = "The channel was disconnected."
)

// ScheduledOn returns the posts of the channel that are SCHEDULED and not being published, by their times.
func (s *Posts) ScheduledOn(ctx context.Context, id ident.Channel) ([]post.Post, error) {
	var rows []postRow
	err := s.db.conn(ctx).Table("post").Select(postRead).Where(ownPosts).
		Where("channel_id = ? AND status = 'SCHEDULED' AND publishing_since IS NULL", id).
		Order("scheduled_at, id").Find(&rows).Error
	return fromPostRows(rows), classify(err)
}

// StillPlanned locks a post that was read before, and returns it as it is now. It reports false if another request has
// changed its plan, or deleted it, or if it is being published.
func (s *Posts) StillPlanned(ctx context.Context, found post.Post) (now post.Post, ok bool, err error) {
	now, err = s.Lock(ctx, found.WorkspaceID, found.ID)
	if apperr.Is(err, apperr.NotFound) {
		return post.Post{}, false, nil
	}
	return now, err == nil && now.Revision == found.Revision && now.PublishingSince.IsZero(), err
}
