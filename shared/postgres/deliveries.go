package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"socialpub.internal/shared/event"
	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/secretbox"
	"socialpub.internal/shared/webhook"
)

// Deliveries keeps events on their way to endpoints, and each attempt.
type Deliveries struct {
	db  *DB
	box *secretbox.Keyring
}

// NewDeliveries makes the store.
func NewDeliveries(db *DB, box *secretbox.Keyring) *Deliveries { return &Deliveries{db: db, box: box} }

// Dispatch is everything one attempt needs, read in one statement.
type Dispatch struct {
	Delivery webhook.Delivery
	Type     event.Type
	EventID  ident.Event
	Body     []byte
	EventAt  time.Time
	URL      string
	Secret   string
	Active   bool // the endpoint still wants deliveries
	Test     bool // a test: its failure does not count towards disabling
}

type dispatchRow struct {
	ID            ident.Delivery
	WorkspaceID   ident.Workspace
	WebhookID     ident.Webhook
	EventID       ident.Event
	State         string
	Attempts      int
	NextAttemptAt *time.Time
	CreatedAt     time.Time
	Type          string
	Body          []byte
	EventAt       time.Time
	URL           string `gorm:"column:url"`
	Secret        []byte
	Active        bool
	Addressed     bool
}

// Load reads a delivery with its event and endpoint; NOT_FOUND when there is none.
func (s *Deliveries) Load(ctx context.Context, id ident.Delivery) (Dispatch, error) {
	var row dispatchRow
	err := s.db.conn(ctx).Raw(`
		SELECT d.id, d.workspace_id, d.webhook_id, d.event_id, d.state, d.attempts, d.next_attempt_at, d.created_at,
			e.type, e.body, e.created_at AS event_at, w.url, w.secret, w.deleted_at IS NULL AND (w.is_active OR e.webhook_id IS NOT NULL) AS active,
			e.webhook_id IS NOT NULL AS addressed
		FROM delivery d JOIN event e ON e.id = d.event_id JOIN webhook w ON w.id = d.webhook_id
		WHERE d.id = ?`, id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Dispatch{}, notFound("delivery")
	}
	if err != nil {
		return Dispatch{}, classify(err)
	}
	secret, err := s.box.Open(row.Secret, secretAAD(row.WorkspaceID, row.WebhookID))
	if err != nil {
		return Dispatch{}, fmt.Errorf("secret of webhook %s: %w", row.WebhookID, err)
	}
	return Dispatch{
		Delivery: webhook.Delivery{
			ID: row.ID, WorkspaceID: row.WorkspaceID, WebhookID: row.WebhookID, EventID: row.EventID,
			State: webhook.State(row.State), Attempts: row.Attempts, NextAttemptAt: value(row.NextAttemptAt), CreatedAt: row.CreatedAt,
		},
		Type: event.Type(row.Type), EventID: row.EventID, Body: row.Body, EventAt: row.EventAt, URL: row.URL,
		Secret: string(secret), Active: row.Active, Test: row.Addressed,
	}, nil
}

// Verdict is what an attempt means for its delivery and its endpoint.
type Verdict struct {
	State   webhook.State
	Wait    time.Duration // Pending: until the next attempt
	Counts  bool          // Exhausted: it counts towards disabling the endpoint (a test does not)
	Disable string        // not empty: disable the endpoint at once, for this reason
}

// recordAttempt writes the attempt, the delivery's new state and the endpoint's counter in one statement. The counter is
// moved under the endpoint's row lock, so that it disables exactly once however many workers deliver.
const recordAttempt = `
WITH d AS (
	UPDATE delivery SET attempts = attempts + 1, state = CAST(@state AS text),
		next_attempt_at = CASE WHEN CAST(@state AS text) = 'PENDING' THEN now() + CAST(@wait AS float8) * interval '1 second' END,
		completed_at = CASE WHEN CAST(@state AS text) <> 'PENDING' THEN now() END
	WHERE id = @id AND state = 'PENDING' AND attempts = @attempts
	RETURNING id, webhook_id, attempts
), a AS (
	INSERT INTO delivery_attempt (delivery_id, n, started_at, duration_ms, status_code, response, error_class)
	SELECT id, attempts, CAST(@started AS timestamptz), CAST(@duration AS integer), CAST(@status AS integer),
		CAST(@response AS text), CAST(@error AS text) FROM d
)`

const countFailure = `, w AS (
	UPDATE webhook SET
		consecutive_failures = CASE WHEN CAST(@state AS text) = 'SUCCEEDED' THEN 0 ELSE consecutive_failures + 1 END,
		is_active = is_active AND CAST(@disable AS text) = '' AND (CAST(@state AS text) = 'SUCCEEDED' OR consecutive_failures + 1 < CAST(@limit AS integer)),
		disabled_at = CASE WHEN is_active AND (CAST(@disable AS text) <> '' OR CAST(@state AS text) <> 'SUCCEEDED' AND consecutive_failures + 1 >= CAST(@limit AS integer)) THEN now() ELSE disabled_at END,
		disabled_reason = CASE WHEN NOT is_active THEN disabled_reason WHEN CAST(@disable AS text) <> '' THEN CAST(@disable AS text)
			WHEN CAST(@state AS text) <> 'SUCCEEDED' AND consecutive_failures + 1 >= CAST(@limit AS integer) THEN 'CONSECUTIVE_FAILURES' ELSE disabled_reason END,
		updated_at = now()
	WHERE id IN (SELECT webhook_id FROM d) AND (CAST(@state AS text) <> 'SUCCEEDED' OR consecutive_failures > 0)
	RETURNING id, is_active
), cancelled AS (
	UPDATE delivery SET state = 'CANCELLED', completed_at = now(), next_attempt_at = NULL
	WHERE state = 'PENDING' AND id <> @id AND webhook_id IN (SELECT id FROM w WHERE NOT is_active)
)`

// Record writes an attempt and what follows from it. False when somebody else recorded this attempt already.
func (s *Deliveries) Record(ctx context.Context, d webhook.Delivery, a webhook.Attempt, v Verdict) (bool, error) {
	statement := recordAttempt
	if v.State == webhook.Succeeded || v.Counts || v.Disable != "" {
		statement += countFailure
	}
	params := map[string]any{
		"id": d.ID, "attempts": d.Attempts, "state": string(v.State), "wait": v.Wait.Seconds(), "started": a.StartedAt,
		"duration": a.Duration.Milliseconds(), "status": optional(a.StatusCode), "response": optional(a.Response),
		"error": optional(a.ErrorClass), "disable": v.Disable, "limit": webhook.DisableAfter,
	}
	var recorded int
	err := s.db.conn(ctx).Raw(statement+` SELECT count(*) FROM d`, params).Scan(&recorded).Error
	return recorded == 1, classify(err)
}

// Cancel ends a delivery whose endpoint no longer wants it.
func (s *Deliveries) Cancel(ctx context.Context, id ident.Delivery) error {
	return classify(s.db.conn(ctx).Exec(`UPDATE delivery SET state = 'CANCELLED', completed_at = now(), next_attempt_at = NULL
		WHERE id = ? AND state = 'PENDING'`, id).Error)
}

// ExternalEventID is the id receivers deduplicate by.
func (d Dispatch) ExternalEventID() string { return event.ExternalID(d.EventID) }
