package postgres

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// lateWhere selects the posts that the pause of their channel holds: those that wait for its end, and those that are due
// and had no step yet.
const lateWhere = `status = 'SCHEDULED' AND publishing_since IS NULL AND NOT overrides_pause AND scheduled_at <= now()
	AND (waiting_reason IS NULL OR waiting_reason = 'channel_paused')`

// Pause pauses or resumes a channel; NOT_FOUND if the workspace has no such channel. Resuming publishes its late posts,
// unless all publishing of the workspace is stopped.
func (s *Channels) Pause(ctx context.Context, workspace ident.Workspace, id ident.Channel, paused bool) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		result := only(s.db.conn(ctx).Table("channel"), "id", s.only).Where("id = ? AND workspace_id = ?", id, workspace).
			Updates(map[string]any{"is_queue_paused": paused, "updated_at": dbNow})
		if result.Error == nil && result.RowsAffected == 0 {
			return notFound("channel")
		}
		if result.Error != nil || paused {
			return classify(result.Error)
		}
		// The lock orders this change and the one that resumes the workspace, so that the second of them publishes.
		var running []ident.Workspace
		err := s.db.conn(ctx).Table("workspace").Where("id = ? AND publishing_stopped_at IS NULL", workspace).
			Clauses(locking("FOR SHARE")).Pluck("id", &running).Error
		if err != nil || len(running) == 0 {
			return classify(err)
		}
		return s.publishLate(ctx, id)
	})
}

// StopPublishing stops all publishing of a workspace, in the name of by, or resumes it if at is zero; NOT_FOUND if the
// workspace does not exist. Stopping it again changes nothing. Resuming publishes the late posts of the channels that
// are not paused themselves.
func (s *Channels) StopPublishing(ctx context.Context, workspace ident.Workspace, at time.Time, by string) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		change := map[string]any{"publishing_stopped_at": nil, "publishing_stopped_by": ""}
		if !at.IsZero() {
			change["publishing_stopped_by"] = gorm.Expr(
				"CASE WHEN publishing_stopped_at IS NULL THEN CAST(? AS text) ELSE publishing_stopped_by END", by)
			change["publishing_stopped_at"] = gorm.Expr("COALESCE(publishing_stopped_at, CAST(? AS timestamptz))", at)
		}
		result := s.db.conn(ctx).Table("workspace").Where("id = ?", workspace).Updates(change)
		if result.Error == nil && result.RowsAffected == 0 {
			return notFound("workspace")
		}
		if result.Error != nil || !at.IsZero() {
			return classify(result.Error)
		}
		var running []ident.Channel
		err := s.db.conn(ctx).Table("channel").Where("workspace_id = ? AND NOT is_queue_paused", workspace).
			Order("id").Pluck("id", &running).Error
		if err != nil {
			return classify(err)
		}
		for _, id := range running {
			if err := s.publishLate(ctx, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// publishLate gives the channel's late posts new plans, by which they are published.
func (s *Channels) publishLate(ctx context.Context, id ident.Channel) error {
	late, err := NewPosts(s.db).late(ctx, id)
	if err != nil {
		return err
	}
	return s.resumePosts(ctx, late, post.WaitPaused, resumedAgain)
}

// Late returns the posts that resuming the channel publishes, by their times. Resuming it publishes the parts of posts too.
func (s *Posts) Late(ctx context.Context, id ident.Channel) ([]post.Post, error) {
	late, err := s.late(ctx, id)
	return slices.DeleteFunc(late, func(p post.Post) bool { return !p.PartOf.IsZero() }), err
}

func (s *Posts) late(ctx context.Context, id ident.Channel) ([]post.Post, error) {
	var rows []postRow
	err := s.db.conn(ctx).Table("post").Select(postRead).Where("channel_id = ?", id).Where(lateWhere).
		Order("scheduled_at, id").Find(&rows).Error
	return fromPostRows(rows), classify(err)
}

// LateCounts returns the number of late posts of each paused channel of the workspace that has any.
func (s *Posts) LateCounts(ctx context.Context, workspace ident.Workspace) (map[ident.Channel]int, error) {
	var rows []struct {
		ChannelID ident.Channel
		Late      int
	}
	err := s.db.conn(ctx).Table("post").Select("channel_id, count(*) AS late").
		Where(`channel_id IN (SELECT c.id FROM channel c JOIN workspace w ON w.id = c.workspace_id
			WHERE w.id = ? AND (c.is_queue_paused OR w.publishing_stopped_at IS NOT NULL))`, workspace).
		Where(lateWhere).Where(ownPosts).Group("channel_id").Find(&rows).Error
	counts := make(map[ident.Channel]int, len(rows))
	for _, r := range rows {
		counts[r.ChannelID] = r.Late
	}
	return counts, classify(err)
}
