package postgres

import (
	"context"
	"sync/atomic"

	"socialpub.internal/shared/kernel/ident"
)

// Lane selects a part of the outbox.
type Lane int

// The lanes of the outbox.
const (
	LaneUrgent  Lane = 0 // due within nearLimit, or without a time
	LanePatient Lane = 1 // work of later, in the order of its due time
)

// turn remembers the workspace after which the next urgent batch starts. It is zero if the last batch had a share for
// every workspace.
type turn struct {
	last atomic.Pointer[ident.Workspace]
}

func (t *turn) after() ident.Workspace {
	if last := t.last.Load(); last != nil {
		return *last
	}
	return ident.Workspace{}
}

// takeUrgent locks a batch of urgent messages. Each workspace that has some gets an equal share, so that a workspace
// with thousands of messages does not delay the others; within a workspace the earliest due message goes first. The
// query finds workspaces by skipping from one to the next in the index, beginning after the workspace of the previous
// batch. A quarter of the batch is for messages of the patient lane that have become due meanwhile.
const takeUrgent = `
WITH RECURSIVE above AS (
	(SELECT workspace_id, 1 AS n FROM outbox WHERE lane = 0 AND workspace_id > CAST(@after AS uuid) ORDER BY workspace_id, due_at, id LIMIT 1)
	UNION ALL
	SELECT (SELECT o.workspace_id FROM outbox o WHERE o.lane = 0 AND o.workspace_id > a.workspace_id
		ORDER BY o.workspace_id, o.due_at, o.id LIMIT 1), a.n + 1
	FROM above a WHERE a.workspace_id IS NOT NULL AND a.n < @limit
), below AS (
	(SELECT workspace_id, 1 AS n FROM outbox WHERE lane = 0 AND workspace_id <= CAST(@after AS uuid) ORDER BY workspace_id, due_at, id LIMIT 1)
	UNION ALL
	SELECT (SELECT o.workspace_id FROM outbox o WHERE o.lane = 0 AND o.workspace_id > b.workspace_id AND o.workspace_id <= CAST(@after AS uuid)
		ORDER BY o.workspace_id, o.due_at, o.id LIMIT 1), b.n + 1
	FROM below b WHERE b.workspace_id IS NOT NULL AND b.n < @limit
), chosen AS (
	SELECT workspace_id, row_number() OVER (ORDER BY half, n) AS rank FROM (
		SELECT workspace_id, 0 AS half, n FROM above UNION ALL SELECT workspace_id, 1, n FROM below
	) w WHERE workspace_id IS NOT NULL ORDER BY half, n LIMIT @limit
), urgent AS (
	SELECT o.* FROM chosen c CROSS JOIN LATERAL (
		SELECT id, kind, subject, payload, tries, due_at FROM outbox
		WHERE lane = 0 AND workspace_id = c.workspace_id AND not_before <= now() AND kind = ANY(CAST(@kinds AS text[]))
		ORDER BY due_at, id LIMIT greatest(1, @limit / (SELECT count(*) FROM chosen)) FOR UPDATE SKIP LOCKED
	) o
), matured AS (
	SELECT id, kind, subject, payload, tries, due_at FROM outbox
	WHERE lane = 1 AND due_at <= now() + interval '2 minutes' AND not_before <= now() AND kind = ANY(CAST(@kinds AS text[]))
	ORDER BY due_at, id LIMIT CAST(@limit AS bigint) / 4 FOR UPDATE SKIP LOCKED
), batch AS (
	SELECT *, (SELECT workspace_id FROM chosen WHERE rank = @limit) AS ended_with
	FROM (SELECT * FROM urgent UNION ALL SELECT * FROM matured) m
)` + withSubjects

// takePatient locks a batch of patient messages, the earliest due ones first.
const takePatient = `
WITH batch AS (
	SELECT id, kind, subject, payload, tries, due_at, CAST(NULL AS uuid) AS ended_with FROM outbox
	WHERE lane = 1 AND not_before <= now() AND kind = ANY(CAST(@kinds AS text[]))
	ORDER BY due_at, id LIMIT @limit FOR UPDATE SKIP LOCKED
)` + withSubjects

// withSubjects adds to each message of the batch the rows that it refers to.
const withSubjects = `
SELECT b.id, b.kind, b.subject, b.payload, b.tries, b.ended_with, p.workspace_id, p.channel_id, c.type AS channel_type, c.name AS channel_name,
	o.workspace_id AS owner_id, COALESCE(o.type, '') AS own_type, COALESCE(o.is_connected, false) AS connected
FROM batch b LEFT JOIN post p ON b.kind IN ('post', 'restart') AND p.id = b.subject LEFT JOIN channel c ON c.id = p.channel_id
	LEFT JOIN channel o ON b.kind = 'insights' AND o.id = b.subject
ORDER BY b.due_at, b.id`

// take locks a batch of a lane.
func (s *Outbox) take(ctx context.Context, lane Lane, limit int) ([]outboxRow, error) {
	statement, params := takePatient, map[string]any{"limit": limit, "kinds": outboxKinds()}
	if lane == LaneUrgent {
		statement, params["after"] = takeUrgent, s.turn.after().String()
	}
	var rows []outboxRow
	err := s.db.conn(ctx).Raw(statement, params).Scan(&rows).Error
	if lane == LaneUrgent && len(rows) > 0 {
		s.turn.last.Store(rows[0].EndedWith)
	}
	return rows, err
}
