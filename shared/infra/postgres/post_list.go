package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/kernel/ident"
)

// PostFilter narrows and sorts List; zero fields do not filter.
type PostFilter struct {
	Status        post.Status
	ChannelID     ident.Channel
	ScheduledFrom time.Time     // inclusive; posts without a time are left out
	ScheduledTo   time.Time     // exclusive; posts without a time are left out
	Sort          post.Sort     // empty: newest first
	After         post.Position // the page starts after it; zero starts at the first post
	Limit         int
}

// List returns a page of posts in the order of the filter.
func (s *Posts) List(ctx context.Context, workspace ident.Workspace, filter PostFilter) ([]post.Post, error) {
	statement, params := listStatement(workspace, filter)
	return s.scan(s.db.conn(ctx).Raw(statement, params))
}

// listStatement returns the statement of a list. Each shape of a filter gets its own statement, because statements are
// planned without their parameters.
func listStatement(workspace ident.Workspace, f PostFilter) (statement string, params map[string]any) {
	params = map[string]any{
		"workspace": workspace, "status": string(f.Status), "channel": f.ChannelID, "from": f.ScheduledFrom,
		"to": f.ScheduledTo,
		"at": f.After.At, "id": f.After.ID, "limit": f.Limit,
	}
	if !f.Sort.ByScheduledAt() {
		return f.part("created_at", f.following("(created_at, id)", "(@at, @id)")), params
	}
	timed := f.part("scheduled_at", " AND scheduled_at IS NOT NULL"+f.following("(scheduled_at, id)", "(@at, @id)"))
	untimed := f.part("scheduled_at", " AND scheduled_at IS NULL")
	switch {
	case f.ranged():
		return timed, params
	case !f.After.ID.IsZero() && f.After.At.IsZero():
		return f.part("scheduled_at", " AND scheduled_at IS NULL"+f.following("id", "@id")), params
	default: // one statement, so that a post that is given a time in between is not in both parts
		return `SELECT ` + postColumns + ` FROM ((` + timed + `) UNION ALL (` + untimed + `)) AS page
			ORDER BY scheduled_at` + f.direction() + ` NULLS LAST, id` + f.direction() + ` LIMIT @limit`, params
	}
}

// part returns the query for posts by one index, ordered by the column and then by ID.
func (f PostFilter) part(column, conditions string) string {
	return `SELECT ` + postColumns + ` FROM post WHERE workspace_id = @workspace` + f.conditions() + conditions +
		` ORDER BY ` + column + f.direction() + `, id` + f.direction() + ` LIMIT @limit`
}

func (f PostFilter) conditions() string {
	text := ""
	if f.Status != "" {
		text += ` AND status = @status`
	}
	if !f.ChannelID.IsZero() {
		text += ` AND channel_id = @channel`
	}
	if !f.ScheduledFrom.IsZero() {
		text += ` AND scheduled_at >= @from`
	}
	if !f.ScheduledTo.IsZero() {
		text += ` AND scheduled_at < @to`
	}
	return text
}

// following returns the condition that keeps the rows after the position.
func (f PostFilter) following(columns, position string) string {
	switch {
	case f.After.ID.IsZero():
		return ""
	case f.Sort.Descending():
		return ` AND ` + columns + ` < ` + position
	default:
		return ` AND ` + columns + ` > ` + position
	}
}

func (f PostFilter) ranged() bool { return !f.ScheduledFrom.IsZero() || !f.ScheduledTo.IsZero() }

func (f PostFilter) direction() string {
	if f.Sort.Descending() {
		return " DESC"
	}
	return " ASC"
}

// scan reads posts column by column: for pages of posts, finding the fields by reflection costs more than the query.
func (s *Posts) scan(query *gorm.DB) (posts []post.Post, err error) {
	rows, err := query.Rows()
	if err != nil {
		return nil, classify(err)
	}
	defer func() { err = errors.Join(err, classify(rows.Close())) }()
	for rows.Next() {
		var r postRow
		err := rows.Scan(&r.ID, &r.WorkspaceID, &r.ChannelID, &r.Content, &r.Title, &r.ContentType, &r.MediaIDs, &r.Status,
			&r.ScheduledAt,
			&r.PublishedAt, &r.CreatedAt, &r.UpdatedAt, &r.Revision, &r.PublishingSince, &r.WaitingReason, &r.WaitingUntil,
			&r.PostURL,
			&r.ErrorCode, &r.ErrorMessage, &r.ErrorRetryable, &r.ApprovalStatus, &r.ApprovalComment, &r.ApprovalDecidedAt,
			&r.Options, &r.ArchivedFrom)
		if err != nil {
			return nil, fmt.Errorf("scan post: %w", err)
		}
		posts = append(posts, fromPostRow(r))
	}
	return posts, classify(rows.Err())
}
