package postgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// GetMany returns the posts with the given IDs. IDs that do not belong to the workspace are left out.
func (s *Posts) GetMany(
	ctx context.Context, workspace ident.Workspace, ids []ident.Post,
) (map[ident.Post]post.Post, error) {
	var rows []postRow
	err := s.table(ctx).Select(postRead).
		Where("workspace_id = ? AND id = ANY(CAST(? AS uuid[]))", workspace, idArray(ids)).Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	posts := fromPostRows(rows)
	err = s.withParts(ctx, posts)
	found := make(map[ident.Post]post.Post, len(rows))
	for _, p := range posts {
		found[p.ID] = p
	}
	return found, err
}

// QuotaQuery selects the posts that count in a quota.
type QuotaQuery struct {
	ChannelID ident.Channel
	Types     []channel.Type // if there are any, the posts of all channels of these types count, in every workspace
	Of        []post.ContentType
	// From and To, both exclusive, limit the times of the posts: that of publishing, or that for which a SCHEDULED post is
	// planned. An overdue post has the time Now.
	From, To, Now time.Time
	// At is the time for which the posts are counted within Period. If Period is zero, those between From and To count.
	At     time.Time
	Period time.Duration
	Except ident.Post  // does not count
	Also   []time.Time // count too: posts that do not exist yet
}

// QuotaUsage is the number of posts that count, and the time of the first of them, zero if there is none.
type QuotaUsage struct {
	Posts int
	First time.Time
}

// QuotaUsed counts posts in the fullest period that contains the time of the query: only if that has a place left, another
// post at this time leaves every other post its place.
func (s *Posts) QuotaUsed(ctx context.Context, q QuotaQuery) (QuotaUsage, error) {
	count, params := usageStatement(q)
	var found QuotaUsage
	var first sql.NullTime
	err := s.db.queryRow(ctx, count, params, &found.Posts, &first)
	found.First = first.Time.UTC()
	if !first.Valid {
		found.First = time.Time{}
	}
	return found, classify(err)
}

// The statements of QuotaUsed, by whether several channels count and whether there are calendar days.
var usageStatements = map[[2]bool]statement{
	{false, false}: compile(usageOf(timesOf(`@channel`)), rollingUsage),
	{false, true}:  compile(usageOf(timesOf(`@channel`)), dayUsage),
	{true, false}:  compile(usageOf(timesOfTypes), rollingUsage),
	{true, true}:   compile(usageOf(timesOfTypes), dayUsage),
}

// timesOfTypes reads each channel by itself: OFFSET prevents one scan of the times of all channels.
var timesOfTypes = `SELECT p.at FROM channel c CROSS JOIN LATERAL (` + timesOf(`c.id`) + ` OFFSET 0) AS p
	WHERE c.type = ANY(CAST(@types AS text[]))`

// timesOf selects the times of the posts of a channel that count, by post_published and post_by_time. Replies count as posts on their
// networks, comments do not.
func timesOf(channel string) string {
	return `SELECT published_at AS at FROM post WHERE channel_id = ` + channel + ` AND published_at IS NOT NULL AND part_kind IS DISTINCT FROM 'COMMENT'
			AND published_at > @from AND published_at < @to AND content_type = ANY(CAST(@of AS text[]))
		UNION ALL SELECT greatest(scheduled_at, CAST(@now AS timestamptz)) FROM post WHERE channel_id = ` + channel + ` AND part_kind IS DISTINCT FROM 'COMMENT'
			AND status = 'SCHEDULED' AND scheduled_at > @since AND scheduled_at < @to
			AND id IS DISTINCT FROM CAST(@except AS uuid) AND content_type = ANY(CAST(@of AS text[]))`
}

func usageOf(times string) string {
	return `WITH counted AS (` + times + `
		UNION ALL SELECT also FROM unnest(CAST(@also AS timestamptz[])) AS also WHERE also > @from AND also < @to)`
}

const (
	dayUsage = `SELECT count(*), min(at) FROM counted`
	// A period begins with one of the posts, or with the time itself.
	rollingUsage = `SELECT used, first FROM (
		SELECT at, sum(weight) OVER period AS used, min(at) FILTER (WHERE weight = 1) OVER period AS first
		FROM (SELECT at, 1 AS weight FROM counted UNION ALL SELECT CAST(@at AS timestamptz), 0) AS m
		WINDOW period AS (ORDER BY at RANGE BETWEEN CURRENT ROW AND CAST(@period AS bigint) * interval '1 microsecond' FOLLOWING)
	) AS periods WHERE at <= @at ORDER BY used DESC, at DESC LIMIT 1`
)

func usageStatement(q QuotaQuery) (statement, map[string]any) {
	of, since := q.Of, q.From
	if len(of) == 0 {
		of = []post.ContentType{post.ContentPost, post.ContentReel, post.ContentStory, post.ContentVideo}
	}
	switch {
	case !q.Now.Before(q.To): // an overdue post is published later
		since = q.To
	case q.Now.After(q.From):
		since = time.Unix(0, 0)
	}
	return usageStatements[[2]bool{len(q.Types) > 0, q.Period == 0}], map[string]any{
		"channel": q.ChannelID, "types": toArray(q.Types), "of": toArray(of), "from": q.From, "to": q.To, "since": since,
		"now": q.Now, "at": q.At, "except": q.Except, "also": timeArray(q.Also),
		// A post at the end of a period is in the next one. Times have microseconds.
		"period": q.Period.Microseconds() - 1,
	}
}

func timeArray(times []time.Time) textArray {
	out := make(textArray, len(times))
	for i, at := range times {
		out[i] = at.UTC().Format(time.RFC3339Nano)
	}
	return out
}

// ConflictKind says what two posts of a channel have in common.
type ConflictKind string

// The conflicts.
const (
	ConflictTime ConflictKind = "SAME_TIME" // they are due within ConflictMargin
	ConflictText ConflictKind = "SAME_TEXT" // they have the same text, apart from case and white space
)

// Bounds of conflicts.
const (
	ConflictMargin = 10 * time.Minute
	ConflictDays   = 30 * 24 * time.Hour
	MaxConflicts   = 20
)

// Conflict is another post of the channel with which a post collides.
type Conflict struct {
	Kind   ConflictKind
	PostID ident.Post
}

// ConflictQuery is a post that may collide with others.
type ConflictQuery struct {
	ChannelID ident.Channel
	Content   string
	At, Now   time.Time  // if At is zero, the post has no time, and texts are compared around Now
	Except    ident.Post // the post itself
}

// Conflicts returns the posts of the channel, published or SCHEDULED, that collide with the post: those within
// ConflictMargin, and those with the same text within ConflictDays, the nearest in time first, at most MaxConflicts.
func (s *Posts) Conflicts(ctx context.Context, q ConflictQuery) (found []Conflict, err error) {
	rows, err := s.db.query(ctx, findConflicts, conflictParams(q))
	if err != nil {
		return nil, classify(err)
	}
	defer func() { err = errors.Join(err, classify(rows.Close())) }()
	for rows.Next() {
		var c Conflict
		if err := rows.Scan(&c.Kind, &c.PostID); err != nil {
			return nil, classify(err)
		}
		found = append(found, c)
	}
	return found, classify(rows.Err())
}

// textOf returns the SQL of a text without differences of case and white space.
func textOf(column string) string {
	return `lower(btrim(regexp_replace(` + column + `, '\s+', ' ', 'g')))`
}

// findConflicts reads the posts of one channel within the days by post_published and post_by_time.
var findConflicts = compile(`WITH near AS (
		SELECT id, content, published_at AS at FROM post WHERE channel_id = @channel AND root_id IS NULL AND published_at IS NOT NULL
			AND published_at >= @from AND published_at <= @to
		UNION ALL SELECT id, content, greatest(scheduled_at, CAST(@now AS timestamptz)) FROM post WHERE channel_id = @channel AND root_id IS NULL
			AND status = 'SCHEDULED' AND scheduled_at >= @since AND scheduled_at <= @to
	) SELECT kind, id FROM (
		SELECT '` + string(ConflictTime) + `' AS kind, id, abs(extract(epoch FROM at - CAST(@middle AS timestamptz))) AS distance FROM near
			WHERE CAST(@timed AS boolean) AND at > @early AND at < @late
		UNION ALL SELECT '` + string(ConflictText) + `', id, abs(extract(epoch FROM at - CAST(@middle AS timestamptz))) FROM near
			WHERE ` + textOf("content") + ` = ` + textOf("CAST(@content AS text)") + `
			AND ` + textOf("CAST(@content AS text)") + ` <> ''
	) AS found WHERE id IS DISTINCT FROM CAST(@except AS uuid) ORDER BY kind DESC, distance, id LIMIT @most`)

func conflictParams(q ConflictQuery) map[string]any {
	middle := q.At
	if middle.IsZero() {
		middle = q.Now
	}
	since := middle.Add(-ConflictDays)
	if q.Now.After(since) { // an overdue post is published now
		since = time.Unix(0, 0)
	}
	return map[string]any{
		"channel": q.ChannelID, "content": q.Content, "middle": middle, "now": q.Now, "timed": !q.At.IsZero(),
		"from": middle.Add(-ConflictDays), "since": since, "to": middle.Add(ConflictDays),
		"early": middle.Add(-ConflictMargin), "late": middle.Add(ConflictMargin), "except": q.Except, "most": MaxConflicts,
	}
}

// LimitedUntil returns the time until which the network refuses calls for the channel; zero if it does not.
func (s *Channels) LimitedUntil(ctx context.Context, id ident.Channel) (time.Time, error) {
	var until []time.Time
	err := s.db.conn(ctx).Table("channel_limit").Where("channel_id = ? AND until > now()", id).Pluck("until", &until).Error
	if err != nil || len(until) == 0 {
		return time.Time{}, classify(err)
	}
	return until[0].UTC(), nil
}
