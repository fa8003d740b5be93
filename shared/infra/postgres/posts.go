package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/kernel/ident"
)

// ErrStale is returned when a row has changed since it was read. The caller must read it and decide again.
var ErrStale = errors.New("the record changed in the meantime")

// Posts stores posts, their timelines and the outbox rows that start or signal their workflows.
type Posts struct {
	db    *DB
	lists sync.Map // compiled statements of lists, by their text
}

// NewPosts returns the store.
func NewPosts(db *DB) *Posts { return &Posts{db: db} }

type wakeRow struct {
	Subject ident.Post      `json:"subject"`
	Payload json.RawMessage `json:"payload"`
}

// Insert writes new posts, all or none. It returns NOT_FOUND if a channel does not exist or belongs to another
// workspace, or an asset does not exist. Within Idempotency.Together, Insert only takes the posts, which are written
// with the response.
func (s *Posts) Insert(ctx context.Context, changes []post.Change) error {
	if held, ok := heldOf(ctx); ok {
		return held.take(changes)
	}
	_, err := s.insert(ctx, changes, nil)
	return err
}

// insert writes new posts. With a key, it returns false and writes nothing if the key is in use.
func (s *Posts) insert(ctx context.Context, changes []post.Change, key map[string]any) (bool, error) {
	run, rows := insertPosts, rowsOfMany
	switch single := len(changes) == 1 && fresh(changes[0]); {
	case single && key != nil:
		run, rows = insertPostOnce, rowsOfOne
	case single:
		run, rows = insertPost, rowsOfOne
	case key != nil:
		run = insertPostsOnce
	}
	params, err := rows(changes)
	if err != nil {
		return false, err
	}
	maps.Copy(params, key)
	params["horizon"], params["trace"] = s.db.horizon.Seconds(), traceOf(ctx)
	var granted int
	err = s.db.queryRow(ctx, run, params, &granted)
	if isForeignKey(err) {
		return false, notFound("channel or media asset")
	}
	return granted > 0, classify(err)
}

// fresh reports whether the change is the creation of a post, whose other fields are empty.
func fresh(c post.Change) bool {
	p := c.Post
	return c.Event != nil && len(c.Timeline) == 1 && !c.Timeline[0].Repeats &&
		p.PublishedAt.IsZero() && p.PublishingSince.IsZero() && p.PostURL == "" && p.Waiting == nil && p.Error == nil &&
		p.Approval == nil && p.ArchivedFrom == ""
}

// rowsOfOne returns the parameters of sql/post_rows_one.sql.
func rowsOfOne(changes []post.Change) (map[string]any, error) {
	c := changes[0]
	p, entry := c.Post, c.Timeline[0]
	plan, err := planOf(c)
	if err != nil {
		return nil, err
	}
	var author any // NULL
	if !p.AuthorID.IsZero() {
		author = p.AuthorID
	}
	return map[string]any{
		"id": p.ID, "workspace": p.WorkspaceID, "channel": p.ChannelID, "author": author,
		"content": p.Content, "title": p.Title,
		"content_type": string(p.ContentType), "media": idArray(p.MediaIDs), "status": string(p.Status),
		"scheduled_at": optional(p.ScheduledAt), "created_at": p.CreatedAt, "updated_at": p.UpdatedAt,
		"revision": p.Revision, "options": optionsColumn{given: p.HasOptions, Options: p.Options},
		"alt_texts": altTextsColumn{p.MediaAltTexts},
		"event_id":  c.Event.ID, "event_type": string(c.Event.Type), "event_body": c.Event.Body,
		"event_at": c.Event.CreatedAt,
		"entry_at": entry.At, "entry_kind": string(entry.Kind), "entry_actor": string(entry.Actor),
		"entry_detail": entry.Detail, "plan": plan,
	}, nil
}

// planOf returns the message to the workflow of a new post; nil if it needs none.
func planOf(c post.Change) (*string, error) {
	if !c.Wake {
		return nil, nil //nolint:nilnil // NULL in the statement
	}
	payload, err := json.Marshal(postflow.PlanOf(c))
	if err != nil {
		return nil, fmt.Errorf("encode plan: %w", err)
	}
	return ptr(string(payload)), nil
}

// rowsOfMany returns the parameters of sql/post_rows_many.sql.
func rowsOfMany(changes []post.Change) (map[string]any, error) {
	posts, events := make([]postRow, 0, len(changes)), make([]eventRow, 0, len(changes))
	timeline, wakes := make([]timelineRow, 0, len(changes)), []wakeRow{}
	for _, c := range changes {
		posts, timeline = append(posts, toPostRow(c.Post)), append(timeline, toTimelineRows(c)...)
		if c.Event != nil {
			events = append(events, toEventRow(*c.Event))
		}
		plan, err := planOf(c)
		if err != nil {
			return nil, err
		}
		if plan != nil {
			wakes = append(wakes, wakeRow{Subject: c.Post.ID, Payload: json.RawMessage(*plan)})
		}
	}
	params := make(map[string]any)
	for name, rows := range map[string]any{"posts": posts, "events": events, "timeline": timeline, "wakes": wakes} {
		raw, err := jsonParam(rows)
		if err != nil {
			return nil, err
		}
		params[name] = raw
	}
	return params, nil
}

// Get returns one post of the workspace; NOT_FOUND if it does not exist.
func (s *Posts) Get(ctx context.Context, workspace ident.Workspace, id ident.Post) (post.Post, error) {
	return s.get(ctx, workspace, id, "")
}

// Lock is Get, and keeps others from changing the post until the transaction ends.
func (s *Posts) Lock(ctx context.Context, workspace ident.Workspace, id ident.Post) (post.Post, error) {
	return s.get(ctx, workspace, id, "FOR NO KEY UPDATE")
}

func (s *Posts) get(
	ctx context.Context, workspace ident.Workspace, id ident.Post, lock locking,
) (post.Post, error) {
	var row postRow
	err := s.db.conn(ctx).Table("post").Select(postColumns).
		Where("id = ? AND workspace_id = ?", id, workspace).Clauses(lock).Take(&row).Error
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
