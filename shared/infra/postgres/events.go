package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/ident"
)

// Events stores the durable event log.
type Events struct{ db *DB }

// NewEvents returns the store.
func NewEvents(db *DB) *Events { return &Events{db: db} }

// Insert stores an event that belongs to no post. If only is set, the event is delivered to that endpoint alone.
func (s *Events) Insert(ctx context.Context, e event.Event, only ident.Webhook) error {
	return classify(s.db.conn(ctx).Table("event").Create(map[string]any{
		"id": e.ID, "workspace_id": e.WorkspaceID, "type": string(e.Type), "webhook_id": only, "body": e.Body,
		"created_at": e.CreatedAt, "trace": traceOf(ctx),
	}).Error)
}

// Sequence returns the first and the last sequence number of the workspace's events, and their count.
func (s *Events) Sequence(ctx context.Context, workspace ident.Workspace) (first, last, count int64, err error) {
	var row struct{ First, Last, Count int64 }
	err = s.db.conn(ctx).Table("event").Where("workspace_id = ?", workspace).
		Select("COALESCE(min(seq), 0) AS first, COALESCE(max(seq), 0) AS last, count(seq) AS count").Scan(&row).Error
	return row.First, row.Last, row.Count, classify(err)
}

// LoggedEvent is an event with its position in the workspace's log.
type LoggedEvent struct {
	event.Event

	Sequence int64 // from 1 without gaps; 0 if not assigned yet
}

// EventFilter narrows List; zero fields do not filter.
type EventFilter struct {
	Type  event.Type
	From  time.Time // inclusive
	To    time.Time // exclusive
	After int64     // the page starts after this sequence number
	// Newest returns the newest events first, before the sequence number Before, or all if it is zero.
	Newest bool
	Before int64
	About  string // kind of object, such as post; empty: any
	Object string // ID that the event's data contains; empty: any
	Limit  int
}

type loggedRow struct {
	ID          ident.Event
	WorkspaceID ident.Workspace
	Type        string
	Body        []byte
	CreatedAt   time.Time
	Seq         int64
}

func fromLoggedRow(r loggedRow) LoggedEvent {
	return LoggedEvent{
		Event: event.Event{
			ID: r.ID, WorkspaceID: r.WorkspaceID, Type: event.Type(r.Type), CreatedAt: r.CreatedAt, Body: r.Body,
		},
		Sequence: r.Seq,
	}
}

// List returns the log of the workspace in sequence order, or newest first. Numbers are assigned in the order in which events are seen
// as committed, so a reader that continues after the last number it read misses no event.
func (s *Events) List(ctx context.Context, workspace ident.Workspace, filter EventFilter) ([]LoggedEvent, error) {
	query := s.db.conn(ctx).Table("event").Select("id, workspace_id, type, body, created_at, seq").
		Where("workspace_id = ? AND seq > ?", workspace, filter.After)
	if filter.Type != "" {
		query = query.Where("type = ?", string(filter.Type))
	}
	if !filter.From.IsZero() {
		query = query.Where("created_at >= ?", filter.From)
	}
	if !filter.To.IsZero() {
		query = query.Where("created_at < ?", filter.To)
	}
	if filter.About != "" {
		query = query.Where("type LIKE ?", filter.About+".%")
	}
	if filter.Object != "" {
		query = query.Where("position(convert_to(?, 'UTF8') IN body) > 0", filter.Object)
	}
	order := "seq"
	if filter.Newest {
		order = "seq DESC"
		if filter.Before > 0 {
			query = query.Where("seq < ?", filter.Before)
		}
	}
	var rows []loggedRow
	if err := query.Order(order).Limit(filter.Limit).Scan(&rows).Error; err != nil {
		return nil, classify(err)
	}
	return each(rows, fromLoggedRow), nil
}

// Get returns one event of the workspace; NOT_FOUND if it does not exist.
func (s *Events) Get(ctx context.Context, workspace ident.Workspace, id ident.Event) (LoggedEvent, error) {
	var row loggedRow
	err := s.db.conn(ctx).Table("event").
		Select("id, workspace_id, type, body, created_at, COALESCE(seq, 0) AS seq").
		Where("id = ? AND workspace_id = ?", id, workspace).Take(&row).Error
	return fromLoggedRow(row), rowError(err, "event")
}

// Prune deletes up to limit events older than age, with their deliveries and attempts, and returns the number of
// deleted events.
func (s *Events) Prune(ctx context.Context, age time.Duration, limit int) (int, error) {
	// Identifiers start with their time, so the oldest are found without a separate index.
	old := s.db.conn(ctx).Table("event").Select("id").Where("id < uuid_v7_at(?)", dbAgo(age)).Where("seq IS NOT NULL").
		Order("id").Limit(limit).Clauses(locking("FOR UPDATE SKIP LOCKED"))
	result := s.db.conn(ctx).Table("event").Where("id IN (?)", old).Delete(nil)
	return int(result.RowsAffected), classify(result.Error)
}
