package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"socialpub.internal/shared/event"
	"socialpub.internal/shared/flow/deliveryflow"
	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/secretbox"
	"socialpub.internal/shared/webhook"
)

// Deliveries keeps events on their way to endpoints, and each attempt.
type Deliveries struct {
	db  *DB
	box *secretbox.Keyring
}

// NewDeliveries makes the store. Without a keyring it does all but load what is sent.
func NewDeliveries(db *DB, box *secretbox.Keyring) *Deliveries { return &Deliveries{db: db, box: box} }

// Dispatch is everything one attempt needs, read in one statement.
type Dispatch struct {
	Delivery   webhook.Delivery
	Redelivery ident.Redelivery // zero for the automatic attempts
	EventID    ident.Event
	Body       []byte
	EventAt    time.Time
	URL        string
	Secrets    []string // the present one, and the one before while it still signs
	Active     bool     // the endpoint still wants deliveries
	Test       bool     // a test: its failure does not count towards disabling
	Due        bool     // nobody has made this attempt, and nothing has ended it
	Placed     bool     // a place at the endpoint is kept for it
}

// ExternalEventID is the id receivers deduplicate by.
func (d Dispatch) ExternalEventID() string { return event.ExternalID(d.EventID) }

type dispatchRow struct {
	ID             ident.Delivery
	WorkspaceID    ident.Workspace
	WebhookID      ident.Webhook
	EventID        ident.Event
	State          string
	Attempts       int
	Tries          int
	CreatedAt      time.Time
	Type           string
	Body           []byte
	EventAt        time.Time
	URL            string `gorm:"column:url"`
	Secret         []byte
	PreviousSecret []byte
	Active         bool
	Addressed      bool
	Due            bool
	Placed         bool
}

// Load reads what an attempt needs; NOT_FOUND when the delivery is gone.
func (s *Deliveries) Load(ctx context.Context, in deliveryflow.Input) (Dispatch, error) {
	var row dispatchRow
	err := s.db.conn(ctx).Raw(`
		SELECT d.id, d.workspace_id, d.webhook_id, d.event_id, d.state, d.attempts, d.tries, d.created_at,
			e.type, e.body, e.created_at AS event_at, w.url, w.secret,
			CASE WHEN w.previous_secret_until > now() THEN w.previous_secret END AS previous_secret,
			w.deleted_at IS NULL AND (w.is_active OR e.webhook_id IS NOT NULL) AS active, e.webhook_id IS NOT NULL AS addressed,
			CASE WHEN CAST(@asked AS boolean) THEN r.state IS NOT DISTINCT FROM 'PENDING'
				ELSE d.state = 'PENDING' AND d.lane IS NULL AND d.run = CAST(@run AS integer) END AS due,
			EXISTS (SELECT FROM webhook_place p WHERE p.webhook_id = d.webhook_id AND p.held_by = @holder AND p.held_until > now()) AS placed
		FROM delivery d JOIN event e ON e.id = d.event_id JOIN webhook w ON w.id = d.webhook_id
		LEFT JOIN redelivery r ON r.id = @redelivery
		WHERE d.id = @id`, map[string]any{
		"id": in.DeliveryID, "run": in.Run, "redelivery": in.RedeliveryID, "asked": !in.RedeliveryID.IsZero(), "holder": holder(in),
	}).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Dispatch{}, notFound("delivery")
	}
	if err != nil {
		return Dispatch{}, classify(err)
	}
	secrets, err := s.secrets(row)
	if err != nil {
		return Dispatch{}, err
	}
	return Dispatch{
		Delivery: webhook.Delivery{
			ID: row.ID, WorkspaceID: row.WorkspaceID, WebhookID: row.WebhookID, EventID: row.EventID, EventType: event.Type(row.Type),
			State: webhook.State(row.State), Attempts: row.Attempts, Tries: row.Tries, CreatedAt: row.CreatedAt,
		},
		Redelivery: in.RedeliveryID, EventID: row.EventID, Body: row.Body, EventAt: row.EventAt, URL: row.URL, Secrets: secrets,
		Active: row.Active, Test: row.Addressed, Due: row.Due, Placed: row.Placed,
	}, nil
}

// secrets are those that sign now, the present one first.
func (s *Deliveries) secrets(row dispatchRow) ([]string, error) {
	var secrets []string
	for _, sealed := range [][]byte{row.Secret, row.PreviousSecret} {
		if len(sealed) == 0 {
			continue
		}
		secret, err := s.box.Open(sealed, secretAAD(row.WorkspaceID, row.WebhookID))
		if err != nil {
			return nil, fmt.Errorf("secret of webhook %s: %w", row.WebhookID, err)
		}
		secrets = append(secrets, string(secret))
	}
	return secrets, nil
}

// Verdict is what an attempt means for its delivery and its endpoint.
type Verdict struct {
	State   webhook.State // Pending: it is tried again
	Wait    time.Duration // Pending: until the next attempt
	Counts  bool          // Exhausted: it counts towards disabling the endpoint (a test does not)
	Disable string        // not empty: disable the endpoint at once, for this reason
}

// recordAutomatic moves a delivery on, unless somebody else recorded this attempt.
const recordAutomatic = `
WITH d AS (
	UPDATE delivery SET attempts = attempts + 1, tries = tries + 1, state = CAST(@state AS text),
		next_attempt_at = CASE WHEN CAST(@state AS text) = 'PENDING' THEN now() + CAST(@wait AS float8) * interval '1 second' END,
		completed_at = CASE WHEN CAST(@state AS text) <> 'PENDING' THEN now() END
	WHERE id = @id AND state = 'PENDING' AND lane IS NULL AND tries = @tries
	RETURNING id, webhook_id, attempts
)`

// recordManual ends a redelivery. Success ends its delivery too; a failure leaves that as it is, retries included.
const recordManual = `
WITH r AS (
	UPDATE redelivery SET state = 'DONE' WHERE id = @redelivery AND state = 'PENDING' RETURNING delivery_id
), d AS (
	UPDATE delivery SET attempts = attempts + 1, state = CASE WHEN CAST(@state AS text) = 'SUCCEEDED' THEN 'SUCCEEDED' ELSE state END,
		next_attempt_at = CASE WHEN CAST(@state AS text) <> 'SUCCEEDED' THEN next_attempt_at END,
		lane = CASE WHEN CAST(@state AS text) <> 'SUCCEEDED' THEN lane END,
		completed_at = CASE WHEN CAST(@state AS text) = 'SUCCEEDED' AND (completed_at IS NULL OR state <> 'SUCCEEDED') THEN now() ELSE completed_at END
	WHERE id IN (SELECT delivery_id FROM r)
	RETURNING id, webhook_id, attempts
)`

// recordAttempt keeps the attempt, frees its place and moves the endpoint's counter. The counter is moved under the endpoint's
// row lock, so that it disables exactly once however many workers deliver; the row is left alone when nothing changes.
const recordAttempt = `, a AS (
	INSERT INTO delivery_attempt (delivery_id, n, trigger, started_at, duration_ms, status_code, response, error_class)
	SELECT id, attempts, CAST(@trigger AS text), CAST(@started AS timestamptz), CAST(@duration AS integer), CAST(@status AS integer),
		CAST(@response AS text), CAST(@error AS text) FROM d
), freed AS (
	UPDATE webhook_place SET held_by = NULL, held_until = '-infinity' WHERE webhook_id = @webhook AND held_by = @holder
), w AS (
	UPDATE webhook SET is_failing = NOT CAST(@success AS boolean),
		consecutive_failures = CASE WHEN CAST(@success AS boolean) THEN 0 WHEN CAST(@counts AS boolean) THEN consecutive_failures + 1 ELSE consecutive_failures END,
		is_active = is_active AND CAST(@disable AS text) = '' AND NOT (CAST(@counts AS boolean) AND consecutive_failures + 1 >= CAST(@limit AS integer)),
		disabled_at = CASE WHEN is_active AND (CAST(@disable AS text) <> '' OR CAST(@counts AS boolean) AND consecutive_failures + 1 >= CAST(@limit AS integer))
			THEN now() ELSE disabled_at END,
		disabled_reason = CASE WHEN NOT is_active THEN disabled_reason WHEN CAST(@disable AS text) <> '' THEN CAST(@disable AS text)
			WHEN CAST(@counts AS boolean) AND consecutive_failures + 1 >= CAST(@limit AS integer) THEN CAST(@reason AS text) ELSE disabled_reason END,
		updated_at = CASE WHEN is_active AND (CAST(@disable AS text) <> '' OR CAST(@counts AS boolean) AND consecutive_failures + 1 >= CAST(@limit AS integer))
			THEN now() ELSE updated_at END
	WHERE id IN (SELECT webhook_id FROM d) AND (is_failing = CAST(@success AS boolean) OR CAST(@counts AS boolean)
		OR CAST(@disable AS text) <> '' OR CAST(@success AS boolean) AND consecutive_failures > 0)
	RETURNING id, is_active
)` + cancelWaiting + ` SELECT count(*) FROM d`

// Record writes an attempt and what follows from it. False when somebody else recorded this attempt already.
func (s *Deliveries) Record(ctx context.Context, d Dispatch, a webhook.Attempt, v Verdict) (bool, error) {
	statement := recordAutomatic
	in := deliveryflow.Input{DeliveryID: d.Delivery.ID, RedeliveryID: d.Redelivery}
	if !d.Redelivery.IsZero() {
		statement = recordManual
	}
	var recorded int
	err := s.db.conn(ctx).Raw(statement+recordAttempt, map[string]any{
		"id": d.Delivery.ID, "webhook": d.Delivery.WebhookID, "redelivery": d.Redelivery, "holder": holder(in), "tries": d.Delivery.Tries,
		"state": string(v.State), "wait": v.Wait.Seconds(), "trigger": string(a.Trigger), "started": a.StartedAt, "duration": a.Duration.Milliseconds(),
		"status": optional(a.StatusCode), "response": optional(a.Response), "error": optional(a.ErrorClass), "but": d.Delivery.ID,
		"success": v.State == webhook.Succeeded, "counts": v.Counts, "disable": v.Disable, "limit": webhook.DisableAfter, "reason": webhook.ReasonFailures,
	}).Scan(&recorded).Error
	return recorded == 1, classify(err)
}

// Cancel ends an attempt that the endpoint no longer wants, and with it what is left of the delivery.
func (s *Deliveries) Cancel(ctx context.Context, in deliveryflow.Input) error {
	if !in.RedeliveryID.IsZero() {
		return classify(s.db.conn(ctx).Exec(`UPDATE redelivery SET state = 'CANCELLED' WHERE id = ? AND state = 'PENDING'`, in.RedeliveryID).Error)
	}
	return classify(s.db.conn(ctx).Exec(`UPDATE delivery SET state = 'CANCELLED', completed_at = now(), next_attempt_at = NULL, lane = NULL
		WHERE id = ? AND state = 'PENDING'`, in.DeliveryID).Error)
}
