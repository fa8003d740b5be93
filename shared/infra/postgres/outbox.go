package postgres

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/flow/deliveryflow"
	"socialpub.internal/shared/flow/mediaflow"
	"socialpub.internal/shared/flow/postflow"
	"socialpub.internal/shared/kernel/ident"
)

// Message is one outbox message for Temporal.
type Message struct {
	ID       int64
	Tries    int
	Post     *postflow.Input     // start or signal this post's workflow
	Restart  bool                // start the workflow only if it is not running; a running one knows its plan
	Delivery *deliveryflow.Input // start the workflow of this delivery or redelivery
	Replay   *deliveryflow.ReplayInput
	Import   *mediaflow.Input // start this import's workflow
	Process  *mediaflow.Input // start the workflow that inspects this asset
	Insights *InsightsMessage // create or delete this channel's schedule
}

// The kinds of messages.
const (
	outboxPost       = "post"
	outboxRestart    = "restart"
	outboxDelivery   = "delivery"
	outboxRedelivery = "redelivery"
	outboxReplay     = "replay"
	outboxImport     = "import"
	outboxProcess    = "media"
	outboxInsights   = "insights"
)

// outboxKinds returns the kinds that this version knows. Messages of newer kinds are left to newer relays, so that
// versions running side by side do not misread each other's messages.
func outboxKinds() textArray {
	return textArray{outboxPost, outboxRestart, outboxDelivery, outboxRedelivery, outboxReplay, outboxImport, outboxProcess, outboxInsights}
}

// insertMessage enqueues the start of a workflow with the input, in the context's transaction. The subject identifies
// the object of the message.
func insertMessage(ctx context.Context, db *DB, kind string, subject driver.Valuer, in any) error {
	payload, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return classify(db.conn(ctx).Exec(`INSERT INTO outbox (kind, subject, payload) VALUES (?, ?, CAST(? AS jsonb))`, kind, subject, string(payload)).Error)
}

// Outbox holds the messages that must still be sent to Temporal. The transactions that need them write the rows.
type Outbox struct{ db *DB }

// NewOutbox returns the store.
func NewOutbox(db *DB) *Outbox { return &Outbox{db: db} }

type outboxRow struct {
	ID          int64
	Kind        string
	Subject     string
	Payload     string
	Tries       int
	WorkspaceID *ident.Workspace
	ChannelID   *ident.Channel
	ChannelType *string
	ChannelName *string
	OwnerID     *ident.Workspace // workspace of the channel that the message itself refers to
	OwnType     string
	Connected   bool
}

// Batch passes up to limit ready messages to fn within one transaction and then deletes those that fn returns as done.
// Messages returned as failed become ready again after their delay, and all others stay unchanged. Other relays skip
// the rows in the meantime. If the process dies, every row is kept. Batch returns the number of messages passed to fn.
func (s *Outbox) Batch(ctx context.Context, limit int, fn func([]Message) (done []int64, failed map[int64]Retry)) (int, error) {
	taken := 0
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		rows, err := s.take(ctx, limit)
		if err != nil || len(rows) == 0 {
			return err
		}
		taken = len(rows)
		messages, orphans := toMessages(rows)
		done, failed := fn(messages)
		return s.settle(ctx, append(done, orphans...), failed)
	})
	return taken, err
}

// Retry holds the delay of a failed message and the cause of the failure.
type Retry struct {
	After time.Duration
	Cause string
}

// take locks a batch: urgent messages first, plus a share of the others, so that a stream of urgent messages does not
// block the others forever.
func (s *Outbox) take(ctx context.Context, limit int) ([]outboxRow, error) {
	var rows []outboxRow
	err := s.db.conn(ctx).Raw(`
		WITH urgent AS (
			SELECT id, kind, subject, payload, tries FROM outbox WHERE not_before <= now() AND kind = ANY(CAST(@kinds AS text[]))
			ORDER BY not_before, id LIMIT @limit FOR UPDATE SKIP LOCKED
		), patient AS (
			SELECT id, kind, subject, payload, tries FROM outbox WHERE not_before > '-infinity' AND not_before <= now() AND kind = ANY(CAST(@kinds AS text[]))
			ORDER BY not_before, id LIMIT CAST(@limit AS bigint) / 4 FOR UPDATE SKIP LOCKED
		), batch AS (
			SELECT * FROM urgent UNION SELECT * FROM patient
		)
		SELECT b.id, b.kind, b.subject, b.payload, b.tries, p.workspace_id, p.channel_id, c.type AS channel_type, c.name AS channel_name,
			o.workspace_id AS owner_id, COALESCE(o.type, '') AS own_type, COALESCE(o.is_connected, false) AS connected
		FROM batch b LEFT JOIN post p ON b.kind IN ('post', 'restart') AND p.id = b.subject LEFT JOIN channel c ON c.id = p.channel_id
			LEFT JOIN channel o ON b.kind = 'insights' AND o.id = b.subject
		ORDER BY b.id`, map[string]any{"limit": limit, "kinds": outboxKinds()}).Scan(&rows).Error
	return rows, err
}

func (s *Outbox) settle(ctx context.Context, done []int64, failed map[int64]Retry) error {
	if len(done) > 0 {
		if err := s.db.conn(ctx).Exec(`DELETE FROM outbox WHERE id IN ?`, done).Error; err != nil {
			return err
		}
	}
	for id, retry := range failed {
		err := s.db.conn(ctx).Exec(`UPDATE outbox SET tries = tries + 1, last_error = ?,
			not_before = now() + CAST(? AS float8) * interval '1 second' WHERE id = ?`, retry.Cause, retry.After.Seconds(), id).Error
		if err != nil {
			return err
		}
	}
	return nil
}

// Depth returns the number of waiting messages and the age of the oldest one.
func (s *Outbox) Depth(ctx context.Context) (count int, oldest time.Duration, err error) {
	var row struct {
		Count  int
		Oldest float64
	}
	err = s.db.conn(ctx).Raw(`SELECT count(*) AS count, COALESCE(EXTRACT(EPOCH FROM now() - min(created_at)), 0) AS oldest FROM outbox`).Scan(&row).Error
	return row.Count, time.Duration(row.Oldest * float64(time.Second)), classify(err)
}

// EnqueueOverdue enqueues overdue posts without activity, overdue deliveries and imports, and files that were not
// inspected. It is the safety net under everything else; on a healthy system it finds nothing. A delivery that holds a
// place at its endpoint is not overdue before the place expires, and one that was found is not found again at once:
// when Temporal or the workers are behind, repeating the same messages would keep them behind.
func (s *Outbox) EnqueueOverdue(ctx context.Context, grace time.Duration, limit int) (int, error) {
	return s.enqueue(ctx, `status = 'SCHEDULED' AND scheduled_at < now() - CAST(@grace AS float8) * interval '1 second'
		AND updated_at < now() - CAST(@grace AS float8) * interval '1 second'
		AND COALESCE(waiting_until, '-infinity') < now() - CAST(@grace AS float8) * interval '1 second'
		AND COALESCE(publishing_since, '-infinity') < now() - 4 * CAST(@grace AS float8) * interval '1 second'`,
		`next_attempt_at < now() - 4 * CAST(@grace AS float8) * interval '1 second'
			AND NOT EXISTS (SELECT FROM webhook_place p WHERE p.webhook_id = delivery.webhook_id AND p.held_by = delivery.id AND p.held_until > now())`,
		`heard_at < now() - 4 * CAST(@grace AS float8) * interval '1 second'`,
		`deadline < now() - CAST(@grace AS float8) * interval '1 second'`, `process_again < now()`,
		map[string]any{"kind": "restart", "grace": grace.Seconds(), "limit": limit})
}

// EnqueueAll enqueues everything that has a workflow, after the loss of Temporal's store. The sweep creates the
// schedules again, a share in each round.
func (s *Outbox) EnqueueAll(ctx context.Context) (int, error) {
	if err := forgetSchedules(ctx, s.db); err != nil {
		return 0, err
	}
	return s.enqueue(ctx, `status IN ('PENDING_APPROVAL', 'SCHEDULED')`, `true`, `true`, `true`, `process_again IS NOT NULL`, map[string]any{"kind": "post", "limit": nil})
}

func (s *Outbox) enqueue(ctx context.Context, posts, deliveries, asked, imports, files string, params map[string]any) (int, error) {
	var count int
	err := s.db.conn(ctx).Raw(`
		WITH p AS (
			INSERT INTO outbox (kind, subject, payload, not_before)
			SELECT CAST(@kind AS text), id, jsonb_strip_nulls(jsonb_build_object('revision', revision, 'status', status, 'scheduledAt', scheduled_at)), `+planTurn+`
			FROM post WHERE `+posts+` AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind IN ('post', 'restart') AND o.subject = post.id)
			LIMIT CAST(@limit AS bigint) RETURNING 1
		), late AS (
			UPDATE delivery SET next_attempt_at = greatest(next_attempt_at, now()) WHERE id IN (
				SELECT id FROM delivery WHERE state = 'PENDING' AND lane IS NULL AND `+deliveries+`
					AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'delivery' AND o.subject = delivery.id)
				LIMIT CAST(@limit AS bigint) FOR UPDATE SKIP LOCKED)
			RETURNING id, workspace_id, webhook_id, run
		), d AS (
			INSERT INTO outbox (kind, subject, payload) SELECT 'delivery', id, `+deliveryPayload+` FROM late RETURNING 1
		), unheard AS (
			UPDATE redelivery SET heard_at = now() WHERE id IN (
				SELECT id FROM redelivery WHERE state = 'PENDING' AND `+asked+`
					AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'redelivery' AND o.subject = redelivery.id)
				LIMIT CAST(@limit AS bigint) FOR UPDATE SKIP LOCKED)
			RETURNING id, delivery_id, workspace_id, webhook_id
		), r AS (
			INSERT INTO outbox (kind, subject, payload)
			SELECT 'redelivery', id, jsonb_build_object('deliveryId', delivery_id, 'workspaceId', workspace_id, 'webhookId', webhook_id, 'redeliveryId', id)
			FROM unheard RETURNING 1
		), halted AS (
			UPDATE webhook_replay SET heard_at = now() WHERE id IN (
				SELECT id FROM webhook_replay WHERE state = 'RUNNING' AND `+asked+`
					AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'replay' AND o.subject = webhook_replay.id)
				LIMIT CAST(@limit AS bigint) FOR UPDATE SKIP LOCKED)
			RETURNING id, workspace_id, webhook_id
		), l AS (
			INSERT INTO outbox (kind, subject, payload)
			SELECT 'replay', id, jsonb_build_object('replayId', id, 'workspaceId', workspace_id, 'webhookId', webhook_id) FROM halted RETURNING 1
		), i AS (
			INSERT INTO outbox (kind, subject, payload)
			SELECT 'import', id, jsonb_build_object('mediaId', id, 'workspaceId', workspace_id)
			FROM media_import WHERE state = 'RUNNING' AND `+imports+`
				AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'import' AND o.subject = media_import.id)
			LIMIT CAST(@limit AS bigint) RETURNING 1
		), again AS (
			UPDATE media SET process_again = now() + interval '10 minutes' WHERE id IN (SELECT id FROM media WHERE `+files+`
				AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'media' AND o.subject = media.id)
				LIMIT CAST(@limit AS bigint))
			RETURNING id, workspace_id
		), m AS (
			INSERT INTO outbox (kind, subject, payload)
			SELECT 'media', id, jsonb_build_object('mediaId', id, 'workspaceId', workspace_id) FROM again RETURNING 1
		) SELECT (SELECT count(*) FROM p) + (SELECT count(*) FROM d) + (SELECT count(*) FROM r) + (SELECT count(*) FROM l) + (SELECT count(*) FROM i) + (SELECT count(*) FROM m)`, params).Scan(&count).Error
	return count, classify(err)
}

// SeenStore records which Temporal store holds the workflows and reports whether it changed. The first store ever seen
// is not a change. After a change, SeenStore enqueues everything that has a workflow.
func (s *Outbox) SeenStore(ctx context.Context, namespace, id string) (changed bool, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		var before string
		if err := s.db.conn(ctx).Raw(`SELECT namespace_id FROM temporal_store WHERE namespace = ? FOR UPDATE`, namespace).Scan(&before).Error; err != nil {
			return err
		}
		if before == id {
			return nil
		}
		err := s.db.conn(ctx).Exec(`INSERT INTO temporal_store (namespace, namespace_id, seen_at) VALUES (?, ?, now())
			ON CONFLICT (namespace) DO UPDATE SET namespace_id = excluded.namespace_id, seen_at = now()`, namespace, id).Error
		if err != nil || before == "" {
			return err
		}
		changed = true
		_, err = s.EnqueueAll(ctx)
		return err
	})
	return changed, err
}

// toMessages converts rows to the messages that the relay sends. Rows whose post is gone or that cannot be decoded are
// returned as orphans.
func toMessages(rows []outboxRow) (messages []Message, orphans []int64) {
	for _, row := range rows {
		m := Message{ID: row.ID, Tries: row.Tries, Restart: row.Kind == outboxRestart}
		var err error
		switch row.Kind {
		case outboxDelivery, outboxRedelivery:
			m.Delivery, err = decode[deliveryflow.Input](row.Payload)
		case outboxReplay:
			m.Replay, err = decode[deliveryflow.ReplayInput](row.Payload)
		case outboxImport:
			m.Import, err = decode[mediaflow.Input](row.Payload)
		case outboxProcess:
			m.Process, err = decode[mediaflow.Input](row.Payload)
		case outboxInsights:
			m.Insights, err = toInsightsMessage(row)
		default:
			if m.Post, err = toPostInput(row); m.Post == nil {
				err = errOrphan
			}
		}
		if err != nil {
			orphans = append(orphans, row.ID)
			continue
		}
		messages = append(messages, m)
	}
	return messages, orphans
}

// errOrphan is returned when the object of a message no longer exists.
var errOrphan = errors.New("the message has no record to deliver")

func decode[T any](payload string) (*T, error) {
	into := new(T)
	return into, json.Unmarshal([]byte(payload), into)
}

// toPostInput returns the input or signal of a post's workflow. For a deleted post, only the end of its plan is sent.
func toPostInput(row outboxRow) (*postflow.Input, error) {
	in := new(postflow.Input)
	var err error
	if in.PostID, err = ident.Parse[ident.Post](row.Subject); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(row.Payload), &in.Plan); err != nil {
		return nil, err
	}
	if row.ChannelID != nil {
		in.WorkspaceID, in.ChannelID, in.Network = *row.WorkspaceID, *row.ChannelID, channel.Type(*row.ChannelType).Network()
		in.ChannelName = value(row.ChannelName)
		return in, nil
	}
	if in.Plan.Status == post.Draft {
		return in, nil
	}
	return nil, nil
}
