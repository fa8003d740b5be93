package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/flow/postflow"
	"socialpub.internal/shared/kernel/ident"
)

// ErrStale is returned when a row has changed since it was read. The caller must read it and decide again.
var ErrStale = errors.New("the record changed in the meantime")

// Posts stores posts, their timelines and the outbox rows that start or signal their workflows.
type Posts struct{ db *DB }

// NewPosts returns the store.
func NewPosts(db *DB) *Posts { return &Posts{db: db} }

type wakeRow struct {
	Subject ident.Post      `json:"subject"`
	Payload json.RawMessage `json:"payload"`
}

// Insert writes new posts, all or none. It returns NOT_FOUND if a channel does not exist or belongs to another
// workspace, or an asset does not exist.
func (s *Posts) Insert(ctx context.Context, changes []post.Change) error {
	posts, events := make([]postRow, 0, len(changes)), make([]eventRow, 0, len(changes))
	timeline, wakes := make([]timelineRow, 0, len(changes)), []wakeRow{}
	for _, c := range changes {
		posts, timeline = append(posts, toPostRow(c.Post)), append(timeline, toTimelineRows(c)...)
		if c.Event != nil {
			events = append(events, toEventRow(*c.Event))
		}
		if c.Wake {
			payload, err := json.Marshal(postflow.PlanOf(c))
			if err != nil {
				return fmt.Errorf("encode plan: %w", err)
			}
			wakes = append(wakes, wakeRow{Subject: c.Post.ID, Payload: payload})
		}
	}
	params := map[string]any{"horizon": s.db.horizon.Seconds()}
	for name, rows := range map[string]any{"posts": posts, "events": events, "timeline": timeline, "wakes": wakes} {
		raw, err := jsonParam(rows)
		if err != nil {
			return err
		}
		params[name] = raw
	}
	err := s.db.conn(ctx).Exec(insertPosts, params).Error
	if isForeignKey(err) {
		return notFound("channel or media asset")
	}
	return classify(err)
}

// Get returns one post of the workspace; NOT_FOUND if it does not exist.
func (s *Posts) Get(ctx context.Context, workspace ident.Workspace, id ident.Post) (post.Post, error) {
	var row postRow
	err := s.db.conn(ctx).Table("post").Select(postColumns).
		Where("id = ? AND workspace_id = ?", id, workspace).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return post.Post{}, notFound("post")
	}
	if err != nil {
		return post.Post{}, classify(err)
	}
	return fromPostRow(row), nil
}

// Counts holds the main figures for operators.
type Counts struct{ Scheduled, Due, Late int }

// Counts counts the posts that wait to be published, over all workspaces.
func (s *Posts) Counts(ctx context.Context) (Counts, error) {
	var c Counts
	err := s.db.conn(ctx).Table("post").Where("status = ?", string(post.Scheduled)).
		Select(`count(*) AS scheduled, count(*) FILTER (WHERE scheduled_at <= now()) AS due,
			count(*) FILTER (WHERE scheduled_at <= now() - interval '1 minute') AS late`).Scan(&c).Error
	return c, classify(err)
}
