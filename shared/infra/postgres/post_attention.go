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

// longReview is the time after which people look for themselves at a post that its network reviews.
const longReview = time.Hour

// Attention counts what waits for the people of a workspace.
type Attention struct {
	Failed     int // posts
	Pending    int // posts that wait for an approval that the person may give, if the role allows it
	Review     int // posts that their network has reviewed for long
	Incomplete int // published posts of which a part is not
	Reconnect  int // connected channels that must be connected again
	Ending     int // channels whose access ends soon, and that only a person can extend
	Unread     int // messages that the application shows to the visitor
	// Unanswered are the open conversations in which a person waits.
	Unanswered int
}

// Attention counts what waits for the people of a workspace, with one query on each page of the application.
func (s *Posts) Attention(ctx context.Context, workspace ident.Workspace, visitor ident.User) (Attention, error) {
	var found Attention
	const few = `(SELECT count(*) FROM (SELECT 1 FROM post WHERE workspace_id = @workspace AND ` + ownPosts + ` AND ` + amongOnly + ` AND status = `
	const channels = `(SELECT count(*) FROM channel AS c(channel_id) WHERE workspace_id = @workspace AND ` + amongOnly +
		` AND is_connected AND token_status = `
	params := s.attentionParams(workspace)
	params["person"] = visitor
	err := s.db.conn(ctx).Raw(`SELECT `+few+`@failed LIMIT @most) AS x) AS failed, `+few+`@pending AND (`+awaitsPerson+`) LIMIT @most) AS x) AS pending,
		`+few+inLongReview+` LIMIT @most) AS x) AS review,
		(SELECT count(*) FROM (SELECT 1 FROM post WHERE workspace_id = @workspace AND `+amongOnly+` AND parts_state = @incomplete AND status = @published LIMIT @most) AS x) AS incomplete,
		`+channels+`@reconnect) AS reconnect, `+channels+`@ending) AS ending,
		(SELECT count(*) FROM notice WHERE user_id = @person AND workspace_id = @workspace AND read_at IS NULL) AS unread,
		(SELECT count(*) FROM (SELECT 1 FROM conversation WHERE workspace_id = @workspace AND `+amongOnly+` AND state = 'OPEN'
			AND last_in_at > COALESCE(last_out_at, '-infinity') LIMIT @most) AS x) AS unanswered`,
		params).Scan(&found).Error
	return found, classify(err)
}

// awaitsPerson selects the posts whose approval by a person would count: as post.Post and approval.Party decide it.
const awaitsPerson = `(SELECT GREATEST(c.approval_policy, w.approval_policy) < 2
		OR NOT consents @> jsonb_build_array(jsonb_build_object('by', CAST(@person AS text)))
		AND (NOT COALESCE(CAST(@person AS uuid) = ANY(CASE WHEN writers = '{}' THEN ARRAY[author_id] ELSE writers END), false)
			OR (SELECT count(*) = 1 AND bool_and(m.user_id = @person) FROM workspace_member m
				WHERE m.workspace_id = COALESCE(w.live_id, w.id) AND m.role = 'OWNER'))
	FROM channel c JOIN workspace w ON w.id = c.workspace_id WHERE c.id = channel_id)`

// inLongReview continues a condition on the status. The index ends with the time, which is past for these posts.
const inLongReview = `@scheduled AND scheduled_at < now() - make_interval(secs => @review) AND waiting_reason = @reviewed`

// amongOnly is the condition of For.
const amongOnly = `(CAST(@only AS uuid[]) IS NULL OR channel_id = ANY(CAST(@only AS uuid[])))`

func (s *Posts) attentionParams(workspace ident.Workspace) map[string]any {
	return map[string]any{
		"only":      toChannels(s.only),
		"workspace": workspace, "failed": string(post.Failed), "pending": string(post.PendingApproval),
		"scheduled": string(post.Scheduled), "review": longReview.Seconds(), "reviewed": string(post.WaitReview),
		"reconnect": string(channel.TokenNeedsReconnect), "ending": string(channel.TokenExpiring), "most": MaxAttention, "incomplete": string(post.PartsIncomplete), "published": string(post.Published),
		"lost": post.ErrorNeedsReconnect, "refused": platformRefused,
	}
}

// platformRefused is the code of connectors for content that a network does not take.
const platformRefused = "CONTENT_REFUSED"

// Need is one reason for which posts of a channel need a person.
type Need struct {
	// Status is FAILED; SCHEDULED if their network has reviewed them for long; or PUBLISHED if a part is not.
	Status    post.Status
	ChannelID ident.Channel
	Code      string       // of the failure
	Posts     []ident.Post // newest first, at most MaxAttention
}

// Needs returns the failed posts of a workspace, those that their network has reviewed for long, and those of which a part failed, by reason: the newest
// first. Failures of one channel and code have one reason, unless the network refused the content with other words.
func (s *Posts) Needs(ctx context.Context, workspace ident.Workspace) ([]Need, error) {
	var rows []struct {
		Status    string
		ChannelID ident.Channel
		Code      string
		Posts     textArray
	}
	const columns = `SELECT status, id, channel_id, COALESCE(error_code, '') AS code,
		CASE WHEN error_code = @refused THEN error_message END AS words, updated_at FROM post
		WHERE workspace_id = @workspace AND ` + ownPosts + ` AND ` + amongOnly + ` AND `
	err := s.db.conn(ctx).Raw(`SELECT status, channel_id, code, array_agg(CAST(id AS text) ORDER BY updated_at DESC, id) AS posts FROM (
			(`+columns+`status = @failed ORDER BY created_at DESC, id DESC LIMIT @most) UNION ALL (`+columns+`status = `+inLongReview+` LIMIT @most)
			UNION ALL (`+columns+`parts_state = @incomplete AND status = @published ORDER BY created_at DESC, id DESC LIMIT @most)
		) AS p GROUP BY status, channel_id, code, words ORDER BY max(updated_at) DESC, channel_id, code`,
		s.attentionParams(workspace)).Scan(&rows).Error
	needs := make([]Need, len(rows))
	for i, r := range rows {
		needs[i] = Need{Status: post.Status(r.Status), ChannelID: r.ChannelID, Code: r.Code}
		for _, text := range r.Posts {
			id, err := ident.Parse[ident.Post](text)
			if err != nil {
				return nil, err
			}
			needs[i].Posts = append(needs[i].Posts, id)
		}
	}
	return needs, classify(err)
}

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
		Where(ownPosts).Where("workspace_id = ? AND status = ? AND channel_id IN ?", workspace, string(post.Scheduled), channels).
		Group("channel_id").Find(&rows).Error
	ahead := make(map[ident.Channel]Ahead, len(rows))
	for _, r := range rows {
		ahead[r.ChannelID] = Ahead{Posts: r.Posts, First: r.First}
	}
	return ahead, classify(err)
}
