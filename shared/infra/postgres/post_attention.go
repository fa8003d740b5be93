package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// MaxAttention is the largest number of an Attention. Larger ones are not counted.
const MaxAttention = 100

// Attention counts what waits for the people of a workspace.
type Attention struct {
	Failed    int // posts
	Pending   int // posts that wait for an approval that the person may give, if the role allows it
	Reconnect int // connected channels that must be connected again
}

// Attention counts what waits for the people of a workspace, with one query on each page of the application.
func (s *Posts) Attention(ctx context.Context, workspace ident.Workspace, person ident.User) (Attention, error) {
	var found Attention
	const few = `(SELECT count(*) FROM (SELECT 1 FROM post WHERE workspace_id = @workspace AND status = `
	err := s.db.conn(ctx).Raw(`SELECT `+few+`@failed LIMIT @most) AS x) AS failed, `+few+`@pending AND (`+awaitsPerson+`) LIMIT @most) AS x) AS pending,
		(SELECT count(*) FROM channel WHERE workspace_id = @workspace AND is_connected AND token_status = @reconnect) AS reconnect`,
		map[string]any{
			"workspace": workspace, "failed": string(post.Failed), "pending": string(post.PendingApproval),
			"reconnect": string(channel.TokenNeedsReconnect), "most": MaxAttention, "person": person,
		}).Scan(&found).Error
	return found, classify(err)
}

// awaitsPerson selects the posts whose approval by a person would count: as post.Post and approval.Party decide it.
const awaitsPerson = `(SELECT GREATEST(c.approval_policy, w.approval_policy) < 2
		OR NOT consents @> jsonb_build_array(jsonb_build_object('by', CAST(@person AS text)))
		AND (NOT CAST(@person AS uuid) = ANY(CASE WHEN writers = '{}' THEN ARRAY[author_id] ELSE writers END)
			OR (SELECT count(*) = 1 AND bool_and(m.user_id = @person) FROM workspace_member m
				WHERE m.workspace_id = COALESCE(w.live_id, w.id) AND m.role = 'OWNER'))
	FROM channel c JOIN workspace w ON w.id = c.workspace_id WHERE c.id = channel_id)`

// Ahead counts what is scheduled on a channel.
type Ahead struct {
	Posts int
	First time.Time // when the first of them is due
}

// Ahead returns what is scheduled on each of the channels. A channel without a scheduled post is left out.
func (s *Posts) Ahead(
	ctx context.Context, workspace ident.Workspace, channels []ident.Channel,
) (map[ident.Channel]Ahead, error) {
	var rows []struct {
		ChannelID ident.Channel
		Posts     int
		First     time.Time
	}
	err := s.db.conn(ctx).Table("post").Select("channel_id, count(*) AS posts, min(scheduled_at) AS first").
		Where("workspace_id = ? AND status = ? AND channel_id IN ?", workspace, string(post.Scheduled), channels).
		Group("channel_id").Find(&rows).Error
	ahead := make(map[ident.Channel]Ahead, len(rows))
	for _, r := range rows {
		ahead[r.ChannelID] = Ahead{Posts: r.Posts, First: r.First}
	}
	return ahead, classify(err)
}
