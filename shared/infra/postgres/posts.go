package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/kernel/ident"
)

// ErrStale is returned when a row has changed since it was read. The caller must read it and decide again.
var ErrStale = errors.New("the record changed in the meantime")

// Posts stores posts, their timelines and the outbox rows that start or signal their workflows.
type Posts struct {
	db    *DB
	lists *sync.Map       // compiled statements of lists, by their text
	only  []ident.Channel // see For
}

// NewPosts returns the store.
func NewPosts(db *DB) *Posts { return &Posts{db: db, lists: new(sync.Map)} }

// For returns the store as a client reads it who is limited to some channels: posts of others do not exist. Nil: all of them.
func (s *Posts) For(channels []ident.Channel) *Posts {
	return &Posts{db: s.db, lists: s.lists, only: channels}
}

// table returns the posts that the client reads. The parts of a post are no posts of their own.
func (s *Posts) table(ctx context.Context) *gorm.DB {
	return only(s.db.conn(ctx).Table("post").Where(ownPosts), "channel_id", s.only)
}

// only adds the condition of For.
func only(query *gorm.DB, column string, channels []ident.Channel) *gorm.DB {
	if channels == nil {
		return query
	}
	return query.Where(column+" = ANY(CAST(? AS uuid[]))", idArray(channels))
}

type wakeRow struct {
	Subject ident.Post      `json:"subject"`
	Payload json.RawMessage `json:"payload"`
}

// Insert writes new posts, all or none. It returns NOT_FOUND if a channel does not exist or belongs to another
// workspace, or an asset does not exist, and ErrExternalIDInUse if another post of a channel has the external id.
func (s *Posts) Insert(ctx context.Context, changes []post.Change) error {
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
	switch {
	case isForeignKey(err):
		return false, notFound("channel or media asset")
	case isExternalIDInUse(err):
		return false, ErrExternalIDInUse
	}
	return granted > 0, classify(err)
}

// fresh reports whether the change is the creation of a post, whose other fields are empty.
func fresh(c post.Change) bool {
	p := c.Post
	return len(c.Timeline) == 1 && !c.Timeline[0].Repeats &&
		p.PublishedAt.IsZero() && p.PublishingSince.IsZero() && p.PostURL == "" && p.Waiting == nil && p.Error == nil &&
		p.Approval == nil && p.ArchivedFrom == "" && !p.InSet() && len(p.Labels) == 0 && p.CampaignID.IsZero() && p.After.IsZero() && !p.HasParts()
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
	params := map[string]any{
		"id": p.ID, "workspace": p.WorkspaceID, "channel": p.ChannelID, "author": author,
		"content": p.Content, "title": p.Title,
		"content_type": string(p.ContentType), "media": idArray(p.MediaIDs), "status": string(p.Status),
		"scheduled_at": optional(p.ScheduledAt), "created_at": p.CreatedAt, "updated_at": p.UpdatedAt,
		"revision": p.Revision, "options": optionsColumn{given: p.HasOptions, Options: p.Options},
		"alt_texts":   mapColumn[post.AltTexts]{p.MediaAltTexts},
		"external_id": optional(p.ExternalID), "metadata": mapColumn[post.Metadata]{p.Metadata},
		"consents": consentsColumn(p.Consents), "writers": idArray(p.Writers),
		"entry_at": entry.At, "entry_kind": string(entry.Kind), "entry_actor": string(entry.Actor),
		"entry_detail": entry.Detail, "plan": plan,
	}
	maps.Copy(params, eventParams(c.Events))
	return params, nil
}

// eventParams returns the parameters of the events of a post.
func eventParams(events []event.Event) map[string]any {
	ids, types, bodies := make(textArray, len(events)), make(textArray, len(events)), make(textArray, len(events))
	for i, e := range events {
		ids[i], types[i], bodies[i] = e.ID.String(), string(e.Type), string(e.Body)
	}
	return map[string]any{"event_ids": ids, "event_types": types, "event_bodies": bodies}
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
	timeline, wakes, labels := make([]timelineRow, 0, len(changes)), []wakeRow{}, []labelRow{}
	for _, c := range changes {
		labels = append(labels, toLabelRows(c.Post.WorkspaceID, c.Post.Labels)...)
		posts, timeline = append(posts, toPostRow(c.Post)), append(timeline, toTimelineRows(c)...)
		for _, e := range c.Events {
			events = append(events, toEventRow(e))
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
	for name, rows := range map[string]any{"posts": posts, "events": events, "timeline": timeline, "wakes": wakes, "labels": labels} {
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
	err := s.table(ctx).Select(postRead).
		Where("id = ? AND workspace_id = ?", id, workspace).Clauses(lock).Take(&row).Error
	if err != nil {
		return post.Post{}, rowError(err, "post")
	}
	found := []post.Post{fromPostRow(row)}
	err = s.withParts(ctx, found)
	return found[0], err
}

// OfGroups returns the posts of sets, in the order of their creation. A post that was created alone is a set of its own.
func (s *Posts) OfGroups(ctx context.Context, workspace ident.Workspace, groups ...ident.Group) ([]post.Post, error) {
	var rows []postRow
	err := s.table(ctx).Select(postRead).
		Where("workspace_id = ? AND (group_id IN ? OR id IN ? AND group_id IS NULL)", workspace, groups, groups).
		Order("id").Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	posts := fromPostRows(rows)
	return posts, s.withParts(ctx, posts)
}

// ByExternalID returns a post of one of the channels with the external id, and its channel; zero if there is none.
func (s *Posts) ByExternalID(
	ctx context.Context, workspace ident.Workspace, id string, of []ident.Channel,
) (ident.Post, ident.Channel, error) {
	var row struct {
		ID        ident.Post
		ChannelID ident.Channel
	}
	err := s.db.conn(ctx).Table("post").Select("id, channel_id").
		Where("workspace_id = ? AND external_id = ? AND channel_id IN ?", workspace, id, of).
		Order("id").Limit(1).Find(&row).Error
	return row.ID, row.ChannelID, classify(err)
}

// Counts holds the main figures for operators.
type Counts struct{ Scheduled, Due, Late int }

// Counts counts the posts that wait to be published, over all workspaces.
func (s *Posts) Counts(ctx context.Context) (Counts, error) {
	var c Counts
	err := s.db.conn(ctx).Table("post").Where("status = ?", string(post.Scheduled)).
		Select(`count(*) AS scheduled, count(*) FILTER (WHERE scheduled_at <= now()) AS due,
			count(*) FILTER (WHERE scheduled_at <= now() - interval '1 minute'
				AND waiting_reason IS DISTINCT FROM 'after_post') AS late`).Scan(&c).Error
	return c, classify(err)
}
