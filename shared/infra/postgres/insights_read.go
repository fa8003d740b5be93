package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/kernel/ident"
)

// Channel returns a channel's days in the range, oldest first.
func (s *Insights) Channel(ctx context.Context, id ident.Channel, r analytics.Range) ([]analytics.ChannelDay, error) {
	var rows []channelDayRow
	err := s.db.conn(ctx).Table("channel_insight").
		Select("day, followers, impressions, reach, engagements, profile_views, website_clicks, collected_at").
		Where("channel_id = ? AND day BETWEEN ? AND ?", id, dayColumn(r.From), dayColumn(r.To)).
		Order("day").Find(&rows).Error
	return each(rows, fromChannelDayRow), classify(err)
}

// Post returns every snapshot of a post, oldest first.
func (s *Insights) Post(ctx context.Context, id ident.Post) ([]analytics.PostDay, error) {
	var rows []postDayRow
	err := s.db.conn(ctx).Table("post_insight").
		Select("day, impressions, reach, likes, comments, shares, saves, clicks, video_views, collected_at").
		Where("post_id = ?", id).Order("day").Find(&rows).Error
	return each(rows, fromPostDayRow), classify(err)
}

// Latest returns the last snapshot of each of the workspace's posts that has one.
func (s *Insights) Latest(
	ctx context.Context, workspace ident.Workspace, ids []ident.Post,
) (map[ident.Post]analytics.PostDay, error) {
	var rows []struct {
		Owner    ident.Post
		Snapshot postDayRow `gorm:"embedded"`
	}
	err := s.db.conn(ctx).Raw(`SELECT DISTINCT ON (i.post_id) i.post_id AS owner, i.day, i.impressions, i.reach, i.likes, i.comments,
		i.shares, i.saves, i.clicks, i.video_views, i.collected_at
		FROM post_insight i JOIN post p ON p.id = i.post_id WHERE i.post_id IN ? AND p.workspace_id = ?
		ORDER BY i.post_id, i.day DESC`, ids, workspace).Scan(&rows).Error
	latest := make(map[ident.Post]analytics.PostDay, len(rows))
	for _, row := range rows {
		latest[row.Owner] = fromPostDayRow(row.Snapshot)
	}
	return latest, classify(err)
}

// ChannelState is the summary of a channel and the state of its collection.
type ChannelState struct {
	analytics.ChannelSummary
	CollectedAt time.Time // when its last collection ended; zero if none has
	Stopped     string    // why its network is no longer called; empty if it is called
}

// Summaries returns a summary of every channel of the workspace in the range, oldest channel first. The zone is that of
// the range.
func (s *Insights) Summaries(
	ctx context.Context, workspace ident.Workspace, r analytics.Range, zone *time.Location,
) ([]ChannelState, error) {
	params := ofRange(workspace, r, zone)
	states, err := s.states(ctx, params)
	if err != nil {
		return nil, err
	}
	rates, err := s.rates(ctx, params)
	if err != nil {
		return nil, err
	}
	totals, err := s.totals(ctx, params, r, zone)
	if err != nil {
		return nil, err
	}
	for i := range states {
		states[i].Rate, states[i].Totals = rates[states[i].ChannelID], totals[states[i].ChannelID]
	}
	return states, nil
}

// States returns the same summaries without rates and totals, which read every day and post.
func (s *Insights) States(
	ctx context.Context, workspace ident.Workspace, r analytics.Range, zone *time.Location,
) ([]ChannelState, error) {
	return s.states(ctx, ofRange(workspace, r, zone))
}

func ofRange(workspace ident.Workspace, r analytics.Range, zone *time.Location) map[string]any {
	start, end := r.Instants(zone)
	return map[string]any{
		"workspace": workspace, "from": dayColumn(r.From), "to": dayColumn(r.To), "start": start, "end": end,
	}
}

func (s *Insights) states(ctx context.Context, params map[string]any) ([]ChannelState, error) {
	var rows []struct {
		ChannelID   ident.Channel
		Followers   *int64
		Published   int64
		CollectedAt *time.Time
		Stopped     *string
	}
	err := s.db.conn(ctx).Raw(readInsightStates, params).Scan(&rows).Error
	states := make([]ChannelState, len(rows))
	for i, row := range rows {
		states[i] = ChannelState{
			ChannelSummary: analytics.ChannelSummary{
				ChannelID: row.ChannelID, Followers: row.Followers, PostsPublished: row.Published,
			},
			CollectedAt: value(row.CollectedAt), Stopped: value(row.Stopped),
		}
	}
	return states, classify(err)
}

// rates adds up the days of each channel that have engagement figures.
func (s *Insights) rates(ctx context.Context, params map[string]any) (map[ident.Channel]analytics.Rate, error) {
	var rows []struct {
		ChannelID   ident.Channel
		Engagements *int64
		Impressions *int64
		Reach       *int64
	}
	err := s.db.conn(ctx).Table("channel_insight i").Joins("JOIN channel c ON c.id = i.channel_id").
		Select("i.channel_id, i.engagements, i.impressions, i.reach").Where("c.workspace_id = @workspace", params).
		Where("i.day BETWEEN CAST(@from AS date) AND CAST(@to AS date) AND i.engagements IS NOT NULL", params).
		Scan(&rows).Error
	rates := make(map[ident.Channel]analytics.Rate)
	for _, row := range rows {
		day := analytics.ChannelFigures{Engagements: row.Engagements, Impressions: row.Impressions, Reach: row.Reach}
		rates[row.ChannelID] = rates[row.ChannelID].Add(day)
	}
	return rates, classify(err)
}

// course returns the SQL for the course of a figure in the range: the last value before it, the first and the last
// value in it, and the number of values in it.
func course(figure string) string {
	return `(SELECT b.` + figure +
		` FROM post_insight b WHERE b.post_id = i.post_id AND b.day < CAST(@from AS date) AND b.` + figure + ` IS NOT NULL
			ORDER BY b.day DESC LIMIT 1) AS ` + figure + `_before,
		(array_agg(i.` + figure + ` ORDER BY i.day) FILTER (WHERE i.` + figure + ` IS NOT NULL))[1] AS ` + figure + `_first,
		(array_agg(i.` + figure + ` ORDER BY i.day DESC) FILTER (WHERE i.` + figure + ` IS NOT NULL))[1] AS ` + figure +
		`_last,
		count(i.` + figure + `) AS ` + figure + `_readings`
}

type courseRow struct {
	Before, First, Last *int64
	Readings            int
}

// totals adds up the gains of each channel's posts.
func (s *Insights) totals(
	ctx context.Context, params map[string]any, r analytics.Range, zone *time.Location,
) (map[ident.Channel]analytics.Totals, error) {
	var rows []struct {
		ChannelID   ident.Channel
		PublishedAt time.Time
		FirstDay    dayColumn
		Likes       courseRow `gorm:"embedded;embeddedPrefix:likes_"`
		Comments    courseRow `gorm:"embedded;embeddedPrefix:comments_"`
		Shares      courseRow `gorm:"embedded;embeddedPrefix:shares_"`
	}
	err := s.db.conn(ctx).Raw(`SELECT p.channel_id, p.published_at, min(i.day) AS first_day, `+course("likes")+`, `+
		course("comments")+`, `+course("shares")+`
		FROM post p JOIN post_insight i ON i.post_id = p.id AND i.day BETWEEN CAST(@from AS date) AND CAST(@to AS date)
		WHERE p.workspace_id = @workspace AND p.published_at IS NOT NULL GROUP BY p.id, i.post_id`, params).Scan(&rows).Error
	totals := make(map[ident.Channel]analytics.Totals)
	for _, row := range rows {
		fromZero := r.CountsFromZero(analytics.DateOf(row.PublishedAt.In(zone)), analytics.Date(row.FirstDay))
		gain := func(c courseRow) analytics.Sum { return analytics.Sum{}.Add(analytics.Course(c).Gained(fromZero)) }
		totals[row.ChannelID] = totals[row.ChannelID].Plus(analytics.Totals{
			Likes: gain(row.Likes), Comments: gain(row.Comments), Shares: gain(row.Shares),
		})
	}
	return totals, classify(err)
}
