package postgres

import (
	"context"
	"database/sql/driver"
	"fmt"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
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
	err := s.db.conn(ctx).Table("channel c").Joins("JOIN workspace w ON w.id = c.workspace_id").
		Joins("LEFT JOIN insight_progress p ON p.channel_id = c.id").
		Select(`c.id, c.workspace_id, c.name, c.type, c.username, c.avatar_url, c.external_id, c.is_connected,
			c.token_status, c.is_queue_paused, c.timezone, c.is_test, c.created_at, c.credentials_rev,
			w.timezone AS zone,
			p.collected_until, CASE WHEN p.stopped_rev = c.credentials_rev THEN p.stopped END AS stopped`).
		Where("c.id = ?", id).Scan(&rows).Error
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

// SetFacts stores what the network says about the channel's account.
func (s *Insights) SetFacts(ctx context.Context, id ident.Channel, facts channel.Facts) error {
	return setFacts(ctx, s.db, id, facts)
}

// SaveChannel stores the days of a channel and records that the network was queried for the days up to until. Figures
// missing from a later reading keep their earlier values, because networks drop old data. SaveChannel does nothing if
// the channel no longer exists.
func (s *Insights) SaveChannel(
	ctx context.Context, id ident.Channel, days []analytics.ChannelDay, until analytics.Date,
) error {
	rows := each(days, toChannelDayRow)
	raw, err := jsonParam(rows)
	if err != nil {
		return err
	}
	return classify(s.db.conn(ctx).Exec(insightSaveChannel,
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
	return classify(s.db.conn(ctx).Exec(insightSavePosts, map[string]any{"channel": id, "rows": raw}).Error)
}

// Finish records that a collection completed.
func (s *Insights) Finish(ctx context.Context, id ident.Channel, at time.Time) error {
	return classify(s.db.conn(ctx).Exec(insightFinish, map[string]any{"channel": id, "at": at}).Error)
}

// Heard records that a collection is running, although this step returned no figures.
func (s *Insights) Heard(ctx context.Context, id ident.Channel) error {
	return classify(s.db.conn(ctx).Exec(insightHeard, map[string]any{"channel": id}).Error)
}

// Stop records that the network permanently rejects the credentials of this revision. The network is not called again
// until the credentials are replaced.
func (s *Insights) Stop(ctx context.Context, id ident.Channel, revision int, reason string) error {
	params := map[string]any{"channel": id, "reason": reason, "revision": revision}
	return classify(s.db.conn(ctx).Exec(insightStop, params).Error)
}

// Published returns up to limit posts of the channel after the given post that were published since the given time and
// have an external ID, ordered by ID.
func (s *Insights) Published(
	ctx context.Context, id ident.Channel, since time.Time, after ident.Post, limit int,
) ([]analytics.PublishedPost, error) {
	var posts []analytics.PublishedPost
	query := s.db.conn(ctx).Table("post p").Select("p.id, a.external_id, p.published_at, p.confirmed").
		Joins("JOIN publish_attempt a ON a.post_id = p.id AND a.state = 'CONFIRMED' AND a.external_id <> ''").
		Where("p.channel_id = ? AND p.published_at >= ? AND p.root_id IS NULL", id, since)
	if !after.IsZero() {
		query = query.Where("p.id > ?", after)
	}
	err := query.Order("p.id").Limit(limit).Scan(&posts).Error
	return posts, classify(err)
}

// Renaming is the id and the address that a network gave a post after it counted as published.
type Renaming struct {
	Post     ident.Post
	From, To string // external ids
	URL      string // empty if there is none
	At       time.Time
}

// Rename stores them. It returns false without a change if the post has another external id meanwhile, or if another post of
// the channel has the new one.
func (s *Insights) Rename(ctx context.Context, n Renaming) (renamed bool, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		tx := s.db.conn(ctx)
		// The post is locked before its attempt, as by publishing.
		var locked []ident.Post
		err := tx.Table("post").Where("id = ?", n.Post).Clauses(locking("FOR NO KEY UPDATE")).Pluck("id", &locked).Error
		if err != nil {
			return classify(err)
		}
		attempt := tx.Table("publish_attempt a").
			Where("post_id = ? AND state = 'CONFIRMED' AND external_id = ?", n.Post, n.From).
			Where(`NOT EXISTS (SELECT FROM publish_attempt o
				WHERE o.channel_id = a.channel_id AND o.state = 'CONFIRMED' AND o.external_id = ?)`, n.To).
			Updates(map[string]any{"external_id": n.To, "post_url": gorm.Expr("COALESCE(?, post_url)", optional(n.URL))})
		renamed = attempt.RowsAffected > 0
		if attempt.Error != nil || !renamed || n.URL == "" {
			return classify(attempt.Error)
		}
		return classify(tx.Table("post").Where("id = ? AND post_url IS NULL", n.Post).
			Updates(map[string]any{"post_url": n.URL, "updated_at": n.At}).Error)
	})
	return renamed && err == nil, err
}

// Prune deletes up to limit snapshots each of channels and posts for days older than age. It returns the larger of the
// two counts.
func (s *Insights) Prune(ctx context.Context, age time.Duration, limit int) (int, error) {
	return pruneDays(ctx, s.db, map[string]string{"channel_insight": "channel_id", "post_insight": "post_id"}, age, limit)
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
