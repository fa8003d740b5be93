package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// Sources returns the days of the workspace's channels in the range, with the followers before it. Channels without any are left
// out.
func (s *Insights) Sources(
	ctx context.Context, workspace ident.Workspace, r analytics.Range,
) (map[ident.Channel]analytics.Source, error) {
	var rows []struct {
		Channel ident.Channel
		Day     channelDayRow `gorm:"embedded"`
	}
	err := s.db.conn(ctx).Raw(`(SELECT DISTINCT ON (i.channel_id) i.channel_id AS channel, i.day, i.followers, NULL::bigint AS impressions,
			NULL::bigint AS reach, NULL::bigint AS engagements, NULL::bigint AS profile_views, NULL::bigint AS website_clicks, i.collected_at
			FROM channel_insight i JOIN channel c ON c.id = i.channel_id
			WHERE c.workspace_id = @workspace AND i.day < CAST(@from AS date) AND i.followers IS NOT NULL ORDER BY i.channel_id, i.day DESC)
		UNION ALL SELECT i.channel_id, i.day, i.followers, i.impressions, i.reach, i.engagements, i.profile_views, i.website_clicks, i.collected_at
			FROM channel_insight i JOIN channel c ON c.id = i.channel_id
			WHERE c.workspace_id = @workspace AND i.day BETWEEN CAST(@from AS date) AND CAST(@to AS date)
		ORDER BY channel, day`, map[string]any{"workspace": workspace, "from": dayColumn(r.From), "to": dayColumn(r.To)}).Scan(&rows).Error
	sources := make(map[ident.Channel]analytics.Source)
	for _, row := range rows {
		day, of := fromChannelDayRow(row.Day), sources[row.Channel]
		if of.Channel = row.Channel; day.Date.Before(r.From) {
			of.Followers = day.Followers
		} else {
			of.Days = append(of.Days, day)
		}
		sources[row.Channel] = of
	}
	return sources, classify(err)
}

// PostsOf narrows the posts of an overview; zero fields do not filter.
type PostsOf struct {
	Channels []ident.Channel // any of them; nil: every channel
	Label    string
	Post     ident.Post
}

func (f PostsOf) params(workspace ident.Workspace) map[string]any {
	return map[string]any{
		"workspace": workspace, "channels": toChannels(f.Channels), "label": post.LabelKey(f.Label), "post": optional(f.Post),
	}
}

// narrowed is the condition of a PostsOf on posts p.
const narrowed = `p.workspace_id = @workspace AND (CAST(@channels AS uuid[]) IS NULL OR p.channel_id = ANY(CAST(@channels AS uuid[])))
	AND (@label = '' OR p.label_keys <> '{}' AND @label = ANY(p.label_keys)) AND (CAST(@post AS uuid) IS NULL OR p.id = CAST(@post AS uuid))`

// Courses returns the snapshots of posts in the range, and the last of each before it. The zone is that of the range.
func (s *Insights) Courses(
	ctx context.Context, workspace ident.Workspace, of PostsOf, r analytics.Range, zone *time.Location,
) ([]analytics.PostCourse, error) {
	params := of.params(workspace)
	params["from"], params["to"] = dayColumn(r.From), dayColumn(r.To)
	var rows []struct {
		Owner       ident.Post
		ChannelID   ident.Channel
		PublishedAt time.Time
		Snapshot    postDayRow `gorm:"embedded"`
	}
	last := func(figure string) string {
		return `(SELECT b.` + figure + ` FROM post_insight b WHERE b.post_id = p.id AND b.day < CAST(@from AS date) AND b.` + figure +
			` IS NOT NULL ORDER BY b.day DESC LIMIT 1)`
	}
	const reads = ` FROM post p JOIN post_insight i ON i.post_id = p.id AND i.day BETWEEN CAST(@from AS date) AND CAST(@to AS date) WHERE p.published_at IS NOT NULL AND ` + narrowed
	err := s.db.conn(ctx).Raw(`WITH read AS (SELECT DISTINCT p.id, p.channel_id, p.published_at`+reads+`)
		SELECT p.id AS owner, p.channel_id, p.published_at, CAST(@from AS date) - 1 AS day, `+last("impressions")+` AS impressions, `+
		last("reach")+` AS reach, `+last("likes")+` AS likes, `+last("comments")+` AS comments, `+last("shares")+` AS shares, `+
		last("saves")+` AS saves, `+last("clicks")+` AS clicks, `+last("video_views")+` AS video_views, p.published_at AS collected_at FROM read p
		UNION ALL SELECT p.id, p.channel_id, p.published_at, i.day, i.impressions, i.reach, i.likes, i.comments, i.shares, i.saves, i.clicks,
			i.video_views, i.collected_at`+reads+` ORDER BY owner, day`, params).Scan(&rows).Error
	var courses []analytics.PostCourse
	for _, row := range rows {
		if n := len(courses); n == 0 || courses[n-1].ID != row.Owner {
			courses = append(courses, analytics.PostCourse{
				ID: row.Owner, Channel: row.ChannelID, Published: analytics.DateOf(row.PublishedAt.In(zone)),
			})
		}
		at := &courses[len(courses)-1]
		at.Days = append(at.Days, fromPostDayRow(row.Snapshot))
	}
	return courses, classify(err)
}

// MeasuredPost is a published post of an overview.
type MeasuredPost struct {
	analytics.PostResult

	Words string // the beginning of its text
}

// MaxOverview is the number of posts of an overview: the last ones of the range.
const MaxOverview = 5000

// Results returns the posts that were published in the range and have figures, with their last ones.
func (s *Insights) Results(
	ctx context.Context, workspace ident.Workspace, of PostsOf, r analytics.Range, zone *time.Location,
) ([]MeasuredPost, error) {
	params := of.params(workspace)
	params["start"], params["end"] = r.Instants(zone)
	params["words"], params["limit"] = 4*wordsShown, MaxOverview
	var rows []struct {
		Owner       ident.Post
		ChannelID   ident.Channel
		PublishedAt time.Time
		Words       string
		Snapshot    postDayRow `gorm:"embedded"`
	}
	err := s.db.conn(ctx).Raw(`SELECT p.id AS owner, p.channel_id, p.published_at, left(COALESCE(NULLIF(p.title, ''), p.content), @words) AS words, i.*
		FROM post p CROSS JOIN LATERAL (SELECT day, impressions, reach, likes, comments, shares, saves, clicks, video_views, collected_at
			FROM post_insight WHERE post_id = p.id ORDER BY day DESC LIMIT 1) i
		WHERE p.published_at >= @start AND p.published_at < @end AND `+narrowed+` ORDER BY p.published_at DESC, p.id LIMIT @limit`, params).
		Scan(&rows).Error
	found := make([]MeasuredPost, len(rows))
	for i, row := range rows {
		found[i] = MeasuredPost{Words: row.Words, PostResult: analytics.PostResult{
			ID: row.Owner, Channel: row.ChannelID, PublishedAt: row.PublishedAt, Latest: fromPostDayRow(row.Snapshot),
		}}
	}
	return found, classify(err)
}
