package postgres

import (
	"context"

	"socialpub.internal/shared/event"
	"socialpub.internal/shared/ident"
)

// Events keeps the durable log of what happened.
type Events struct{ db *DB }

// NewEvents makes the store.
func NewEvents(db *DB) *Events { return &Events{db: db} }

// Insert keeps an event that belongs to no post. With a webhook it is meant for that endpoint alone.
func (s *Events) Insert(ctx context.Context, e event.Event, only ident.Webhook) error {
	return classify(s.db.conn(ctx).Exec(`INSERT INTO event (id, workspace_id, type, webhook_id, body, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
		e.ID, e.WorkspaceID, string(e.Type), only, e.Body, e.CreatedAt).Error)
}

// fanOut numbers a batch of events and gives each endpoint that was there and subscribed its delivery, with the outbox row
// that will start it. The sequence's row lock makes relays take turns per workspace, in the same order everywhere.
const fanOut = `
WITH batch AS (
	SELECT id, workspace_id, type, webhook_id, created_at FROM event WHERE seq IS NULL
	ORDER BY id LIMIT @limit FOR UPDATE SKIP LOCKED
), counted AS (
	SELECT workspace_id, count(*) AS n FROM batch GROUP BY workspace_id
), locked AS (
	SELECT s.workspace_id, s.last FROM event_sequence s JOIN counted USING (workspace_id) ORDER BY s.workspace_id FOR UPDATE OF s
), moved AS (
	UPDATE event_sequence s SET last = s.last + c.n FROM counted c, locked l
	WHERE s.workspace_id = c.workspace_id AND l.workspace_id = c.workspace_id
	RETURNING s.workspace_id, s.last - c.n AS base
), numbered AS (
	UPDATE event e SET seq = m.base + b.rank
	FROM (SELECT id, workspace_id, row_number() OVER (PARTITION BY workspace_id ORDER BY id) AS rank FROM batch) b
	JOIN moved m USING (workspace_id)
	WHERE e.id = b.id RETURNING e.id
), made AS (
	INSERT INTO delivery (id, workspace_id, webhook_id, event_id, state, next_attempt_at, created_at)
	SELECT uuid_v7(), b.workspace_id, w.id, b.id, 'PENDING', now(), now()
	FROM batch b JOIN webhook w ON w.workspace_id = b.workspace_id AND w.deleted_at IS NULL
	WHERE CASE WHEN b.webhook_id IS NOT NULL THEN w.id = b.webhook_id
		ELSE w.is_active AND w.created_at <= b.created_at AND (w.events OPERATOR(pg_catalog.@>) ARRAY['*'] OR w.events OPERATOR(pg_catalog.@>) ARRAY[b.type]) END
	ON CONFLICT DO NOTHING
	RETURNING id, workspace_id, webhook_id
), queued AS (
	INSERT INTO outbox (kind, subject, payload)
	SELECT 'delivery', id, jsonb_build_object('deliveryId', id, 'workspaceId', workspace_id, 'webhookId', webhook_id) FROM made
)
SELECT (SELECT count(*) FROM numbered) AS handled, (SELECT count(*) FROM made) AS queued`

// FanOut handles up to limit events that nobody handled yet, and returns how many it did and how many deliveries it queued.
func (s *Events) FanOut(ctx context.Context, limit int) (handled, queued int, err error) {
	var row struct{ Handled, Queued int }
	err = s.db.conn(ctx).Raw(fanOut, map[string]any{"limit": limit}).Scan(&row).Error
	return row.Handled, row.Queued, classify(err)
}

// Sequence tells the first and the last number given to events of the workspace, and how many there are.
func (s *Events) Sequence(ctx context.Context, workspace ident.Workspace) (first, last, count int64, err error) {
	var row struct{ First, Last, Count int64 }
	err = s.db.conn(ctx).Raw(`SELECT COALESCE(min(seq), 0) AS first, COALESCE(max(seq), 0) AS last, count(seq) AS count
		FROM event WHERE workspace_id = ?`, workspace).Scan(&row).Error
	return row.First, row.Last, row.Count, classify(err)
}
