package postgres

import (
	"context"
	"database/sql/driver"
	"fmt"
	"time"

	"socialpub.internal/shared/domain/analytics"
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/kernel/ident"
)

// Insights stores the figures of channels and posts, and the progress of their collection. Writes are idempotent: a
// later reading of the same day replaces an earlier one.
type Insights struct{ db *DB }

// NewInsights returns the store.
func NewInsights(db *DB) *Insights { return &Insights{db: db} }

// Collection is a channel whose figures are to be collected.
type Collection struct {
	Channel  channel.Channel
	Zone     *time.Location // the workspace's time zone
	Revision int            // revision of the channel's credentials
	Until    analytics.Date // the last day that was requested; zero if none
	// Stopped is the reason why the network is no longer called; empty if it is called. It applies to the current
	// credentials.
	Stopped string
}

// Collection returns the input of a collection step. It returns NOT_FOUND if the channel no longer exists.
func (s *Insights) Collection(ctx context.Context, id ident.Channel) (Collection, error) {
	var rows []struct {
		Channel channelRow `gorm:"embedded"`
		Zone    string
		Until   *dayColumn `gorm:"column:collected_until"`
		Stopped *string
	}
	err := s.db.conn(ctx).Raw(`SELECT c.id, c.workspace_id, c.name, c.type, c.username, c.avatar_url, c.external_id, c.is_connected,
			c.token_status, c.is_queue_paused, c.timezone, c.created_at, c.credentials_rev, w.timezone AS zone, p.collected_until,
			CASE WHEN p.stopped_rev = c.credentials_rev THEN p.stopped END AS stopped
		FROM channel c JOIN workspace w ON w.id = c.workspace_id LEFT JOIN insight_progress p ON p.channel_id = c.id
		WHERE c.id = ?`, id).Scan(&rows).Error
	if err != nil {
		return Collection{}, classify(err)
	}
	if len(rows) == 0 {
		return Collection{}, notFound("channel")
	}
	row := rows[0]
	return Collection{
		Channel: fromChannelRow(row.Channel), Zone: analytics.Zone(row.Zone), Revision: row.Channel.CredentialsRev,
		Until: analytics.Date(value(row.Until)), Stopped: value(row.Stopped),
	}, nil
}

// SaveChannel stores the days of a channel and records that the network was queried for the days up to until. Figures
// missing from a later reading keep their earlier values, because networks drop old data. SaveChannel does nothing if
// the channel no longer exists.
func (s *Insights) SaveChannel(ctx context.Context, id ident.Channel, days []analytics.ChannelDay, until analytics.Date) error {
	rows := make([]channelDayRow, len(days))
	for i, d := range days {
		rows[i] = toChannelDayRow(d)
	}
	raw, err := jsonParam(rows)
	if err != nil {
		return err
	}
	return classify(s.db.conn(ctx).Exec(`
		WITH present AS (
			SELECT id FROM channel WHERE id = @channel FOR KEY SHARE
		), progress AS (
			INSERT INTO insight_progress (channel_id, collected_until, heard_at) SELECT id, CAST(@until AS date), now() FROM present
			ON CONFLICT (channel_id) DO UPDATE SET heard_at = now(),
				collected_until = GREATEST(insight_progress.collected_until, excluded.collected_until)
		)
		INSERT INTO channel_insight AS old (channel_id, day, followers, impressions, reach, engagements, profile_views, website_clicks, collected_at)
		SELECT p.id, d.day, d.followers, d.impressions, d.reach, d.engagements, d.profile_views, d.website_clicks, d.collected_at
		FROM present p, jsonb_to_recordset(CAST(@rows AS jsonb)) AS d (day date, followers bigint, impressions bigint, reach bigint,
			engagements bigint, profile_views bigint, website_clicks bigint, collected_at timestamptz)
		ON CONFLICT (channel_id, day) DO UPDATE SET
			followers = COALESCE(excluded.followers, old.followers), impressions = COALESCE(excluded.impressions, old.impressions),
			reach = COALESCE(excluded.reach, old.reach), engagements = COALESCE(excluded.engagements, old.engagements),
			profile_views = COALESCE(excluded.profile_views, old.profile_views),
			website_clicks = COALESCE(excluded.website_clicks, old.website_clicks), collected_at = excluded.collected_at
		WHERE old.collected_at <= excluded.collected_at`,
		map[string]any{"channel": id, "rows": raw, "until": until.String()}).Error)
}

// SavePosts stores the figures of a channel's posts for a day. Posts that no longer exist are skipped.
func (s *Insights) SavePosts(ctx context.Context, id ident.Channel, posts map[ident.Post]analytics.PostDay) error {
	rows := make([]postDayRow, 0, len(posts))
	for post, d := range posts {
		rows = append(rows, toPostDayRow(post, d))
	}
	raw, err := jsonParam(rows)
	if err != nil {
		return err
	}
	return classify(s.db.conn(ctx).Exec(`
		WITH progress AS (
			UPDATE insight_progress SET heard_at = now() WHERE channel_id = @channel
		), present AS (
			SELECT p.id FROM post p WHERE p.channel_id = @channel
				AND p.id IN (SELECT post_id FROM jsonb_to_recordset(CAST(@rows AS jsonb)) AS r (post_id uuid)) ORDER BY p.id FOR KEY SHARE
		)
		INSERT INTO post_insight AS old (post_id, day, impressions, reach, likes, comments, shares, saves, clicks, video_views, collected_at)
		SELECT d.post_id, d.day, d.impressions, d.reach, d.likes, d.comments, d.shares, d.saves, d.clicks, d.video_views, d.collected_at
		FROM present p JOIN jsonb_to_recordset(CAST(@rows AS jsonb)) AS d (post_id uuid, day date, impressions bigint, reach bigint,
			likes bigint, comments bigint, shares bigint, saves bigint, clicks bigint, video_views bigint, collected_at timestamptz)
			ON d.post_id = p.id
		ON CONFLICT (post_id, day) DO UPDATE SET
			impressions = COALESCE(excluded.impressions, old.impressions), reach = COALESCE(excluded.reach, old.reach),
			likes = COALESCE(excluded.likes, old.likes), comments = COALESCE(excluded.comments, old.comments),
			shares = COALESCE(excluded.shares, old.shares), saves = COALESCE(excluded.saves, old.saves),
			clicks = COALESCE(excluded.clicks, old.clicks), video_views = COALESCE(excluded.video_views, old.video_views),
			collected_at = excluded.collected_at
		WHERE old.collected_at <= excluded.collected_at`, map[string]any{"channel": id, "rows": raw}).Error)
}

// Finish records that a collection completed.
func (s *Insights) Finish(ctx context.Context, id ident.Channel, at time.Time) error {
	return classify(s.db.conn(ctx).Exec(`INSERT INTO insight_progress (channel_id, collected_at, heard_at)
		SELECT id, CAST(? AS timestamptz), now() FROM channel WHERE id = ? FOR KEY SHARE
		ON CONFLICT (channel_id) DO UPDATE SET heard_at = now(), stopped = NULL, stopped_rev = NULL,
			collected_at = GREATEST(insight_progress.collected_at, excluded.collected_at)`, at, id).Error)
}

// Heard records that a collection is running, although this step returned no figures.
func (s *Insights) Heard(ctx context.Context, id ident.Channel) error {
	return classify(s.db.conn(ctx).Exec(`INSERT INTO insight_progress (channel_id, heard_at) SELECT id, now() FROM channel WHERE id = ? FOR KEY SHARE
		ON CONFLICT (channel_id) DO UPDATE SET heard_at = now()`, id).Error)
}

// Stop records that the network permanently rejects the credentials of this revision. The network is not called again
// until the credentials are replaced.
func (s *Insights) Stop(ctx context.Context, id ident.Channel, revision int, reason string) error {
	return classify(s.db.conn(ctx).Exec(`INSERT INTO insight_progress (channel_id, stopped, stopped_rev, heard_at)
		SELECT id, ?, ?, now() FROM channel WHERE id = ? FOR KEY SHARE
		ON CONFLICT (channel_id) DO UPDATE SET stopped = excluded.stopped, stopped_rev = excluded.stopped_rev, heard_at = now()`,
		reason, revision, id).Error)
}

// Published returns up to limit posts of the channel after the given post that were published since the given time and
// have an external ID, ordered by ID.
func (s *Insights) Published(ctx context.Context, id ident.Channel, since time.Time, after ident.Post, limit int) ([]analytics.PublishedPost, error) {
	var posts []analytics.PublishedPost
	err := s.db.conn(ctx).Raw(`SELECT p.id, a.external_id, p.published_at
		FROM post p JOIN publish_attempt a ON a.post_id = p.id AND a.state = 'CONFIRMED' AND a.external_id <> ''
		WHERE p.channel_id = ? AND p.published_at >= ? AND p.id > COALESCE(CAST(? AS uuid), '00000000-0000-0000-0000-000000000000') ORDER BY p.id LIMIT ?`, id, since, after, limit).Scan(&posts).Error
	return posts, classify(err)
}

// Prune deletes up to limit snapshots each of channels and posts for days older than age. It returns the larger of the
// two counts.
func (s *Insights) Prune(ctx context.Context, age time.Duration, limit int) (int, error) {
	var count int
	err := s.db.conn(ctx).Raw(`
		WITH c AS (
			DELETE FROM channel_insight WHERE (channel_id, day) IN (SELECT channel_id, day FROM channel_insight
				WHERE day < CAST(now() - CAST(@age AS float8) * interval '1 second' AS date) LIMIT @limit FOR UPDATE SKIP LOCKED) RETURNING 1
		), p AS (
			DELETE FROM post_insight WHERE (post_id, day) IN (SELECT post_id, day FROM post_insight
				WHERE day < CAST(now() - CAST(@age AS float8) * interval '1 second' AS date) LIMIT @limit FOR UPDATE SKIP LOCKED) RETURNING 1
		) SELECT GREATEST((SELECT count(*) FROM c), (SELECT count(*) FROM p))`, map[string]any{"age": age.Seconds(), "limit": limit}).Scan(&count).Error
	return count, classify(err)
}

// dayColumn is a PostgreSQL date.
type dayColumn analytics.Date

// Scan reads the date.
func (d *dayColumn) Scan(src any) error {
	at, ok := src.(time.Time)
	if !ok {
		return fmt.Errorf("scan date: it is a %T", src)
	}
	*d = dayColumn(analytics.DateOf(at))
	return nil
}

// Value writes the date.
func (d dayColumn) Value() (driver.Value, error) { return analytics.Date(d).String(), nil }
