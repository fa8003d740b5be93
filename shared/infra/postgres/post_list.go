package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// PostFilter narrows and sorts List; zero fields do not filter.
type PostFilter struct {
	Status        post.Status
	ChannelID     ident.Channel
	ScheduledFrom time.Time     // inclusive; posts without a time are left out
	ScheduledTo   time.Time     // exclusive; posts without a time are left out
	Text          string        // every word of it must occur in the content or the title, in either case
	Sort          post.Sort     // empty: newest first
	After         post.Position // the page starts after it; zero starts at the first post
	Limit         int
}

// MaxPage is the maximum Limit of a PostFilter.
const MaxPage = 101

// List returns a page of posts in the order of the filter.
func (s *Posts) List(ctx context.Context, workspace ident.Workspace, filter PostFilter) ([]post.Post, error) {
	text, params := listStatement(workspace, filter)
	known, ok := s.lists.Load(text)
	if !ok {
		known, _ = s.lists.LoadOrStore(text, compile(text))
	}
	list, _ := known.(statement)
	return scanPosts(s.db.query(ctx, list, params))
}

// listStatement returns the statement of a list. Each shape of a filter gets its own statement, because statements are
// planned without their parameters.
func listStatement(workspace ident.Workspace, f PostFilter) (text string, params map[string]any) {
	params = map[string]any{
		"workspace": workspace, "status": string(f.Status), "channel": f.ChannelID, "from": f.ScheduledFrom,
		"to": f.ScheduledTo,
		"at": f.After.At, "id": f.After.ID, "limit": f.Limit, "words": f.patterns(),
	}
	if !f.Sort.ByScheduledAt() {
		return f.timed("created_at"), params
	}
	untimed := !f.After.ID.IsZero() && f.After.At.IsZero()
	switch {
	case f.ranged():
		return f.timed("scheduled_at"), params
	case untimed:
		return f.untimed(), params
	default: // one statement, so that a post that is given a time in between is not in both parts
		return `SELECT ` + postColumns + ` FROM ((` + f.timed("scheduled_at") + `) UNION ALL (` + f.untimed() +
			`)) AS page ORDER BY scheduled_at` + f.direction() + ` NULLS LAST, id` + f.direction() + ` LIMIT @limit`, params
	}
}

// The bounds of times and identifiers in an index.
const (
	lowest  = `'-infinity', '00000000-0000-0000-0000-000000000000'`
	highest = `'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'`
)

// timed returns the query for posts with a time in the column. The position and the ends of the list are compared as
// rows of all columns of one index. Only this index has that order and that range, so that its use does not depend on
// statistics. With conditions per column, another index and a sort look cheap while the statistics of the workspace
// are missing or old.
func (f PostFilter) timed(column string) string {
	columns, values := f.prefix()
	after, before := `>=`, `<=`
	first, last := lowest, highest
	scheduled := column == "scheduled_at"
	if scheduled && !f.ScheduledFrom.IsZero() {
		first = `@from, '00000000-0000-0000-0000-000000000000'`
	}
	if scheduled && !f.ScheduledTo.IsZero() {
		before, last = `<`, `@to, '00000000-0000-0000-0000-000000000000'`
	}
	switch {
	case f.After.ID.IsZero():
	case f.Sort.Descending():
		before, last = `<`, `@at, @id`
	default:
		after, first = `>`, `@at, @id`
	}
	key := `(` + columns + `, ` + column + `, id) `
	conditions := key + after + ` (` + values + `, ` + first + `) AND ` + key + before + ` (` + values + `, ` + last + `)`
	if !scheduled && !f.ScheduledFrom.IsZero() {
		conditions += ` AND scheduled_at >= @from`
	}
	if !scheduled && !f.ScheduledTo.IsZero() {
		conditions += ` AND scheduled_at < @to`
	}
	return f.page(conditions, columns, column)
}

// untimed returns the query for posts without a publish time.
func (f PostFilter) untimed() string {
	columns, _ := f.prefix()
	conditions := `workspace_id = @workspace AND scheduled_at IS NULL`
	switch {
	case !f.ChannelID.IsZero():
		conditions += ` AND channel_id = @channel`
	case f.Status != "":
		conditions += ` AND status = @status`
	}
	switch {
	case f.After.ID.IsZero() || !f.After.At.IsZero():
	case f.Sort.Descending():
		conditions += ` AND id < @id`
	default:
		conditions += ` AND id > @id`
	}
	return f.page(conditions, columns, "scheduled_at")
}

// prefix returns the columns before the time in the index of the list, and their values.
func (f PostFilter) prefix() (columns, values string) {
	switch {
	case !f.ChannelID.IsZero():
		return `workspace_id, channel_id`, `@workspace, @channel`
	case f.Status != "":
		return `workspace_id, status`, `@workspace, @status`
	default:
		return `workspace_id`, `@workspace`
	}
}

// page returns the query for the first posts that meet the conditions, in the order of an index. The inner limit is a
// number, because the planner would take a parameter for a tenth of all posts.
func (f PostFilter) page(conditions, columns, column string) string {
	if !f.ChannelID.IsZero() && f.Status != "" {
		conditions += ` AND status = @status`
	}
	if f.Text != "" {
		conditions += ` AND content || ' ' || title ILIKE ALL (CAST(@words AS text[]))`
	}
	order := strings.ReplaceAll(columns, `,`, f.direction()+`,`) + f.direction() + `, ` + column + f.direction() +
		`, id` + f.direction()
	return `SELECT * FROM (SELECT ` + postColumns + ` FROM post WHERE ` + conditions + ` ORDER BY ` + order +
		` LIMIT ` + strconv.Itoa(MaxPage) + `) AS ordered LIMIT @limit`
}

// patterns returns the patterns of ILIKE that match the words of the text literally.
func (f PostFilter) patterns() textArray {
	words := strings.Fields(f.Text)
	for i, word := range words {
		words[i] = `%` + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(word) + `%`
	}
	return words
}

func (f PostFilter) ranged() bool { return !f.ScheduledFrom.IsZero() || !f.ScheduledTo.IsZero() }

func (f PostFilter) direction() string {
	if f.Sort.Descending() {
		return " DESC"
	}
	return " ASC"
}

// scanPosts reads posts column by column: for pages of posts, finding the fields by reflection costs more than the
// query.
func scanPosts(rows *sql.Rows, failed error) (posts []post.Post, err error) {
	if failed != nil {
		return nil, classify(failed)
	}
	defer func() { err = errors.Join(err, classify(rows.Close())) }()
	for rows.Next() {
		var r postRow
		err := rows.Scan(&r.ID, &r.WorkspaceID, &r.ChannelID, &r.AuthorID, &r.Content, &r.Title, &r.ContentType, &r.MediaIDs,
			&r.Status, &r.ScheduledAt, &r.PublishedAt, &r.CreatedAt, &r.UpdatedAt, &r.Revision, &r.PublishingSince, &r.WaitingReason, &r.WaitingUntil,
			&r.PostURL,
			&r.ErrorCode, &r.ErrorMessage, &r.ErrorRetryable, &r.ApprovalStatus, &r.ApprovalComment, &r.ApprovalDecidedAt,
			&r.Options, &r.ArchivedFrom, &r.MediaAltTexts, &r.WaitingTry, &r.WaitingDeadline, &r.OverridesPause,
			&r.Confirmed)
		if err != nil {
			return nil, fmt.Errorf("scan post: %w", err)
		}
		posts = append(posts, fromPostRow(r))
	}
	return posts, classify(rows.Err())
}
