package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"socialpub.internal/shared/domain/event"
	"socialpub.internal/shared/domain/webhook"
	"socialpub.internal/shared/flow/deliveryflow"
	"socialpub.internal/shared/infra/secretbox"
	"socialpub.internal/shared/kernel/ident"
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
	Run        int              // of the delivery, for the automatic attempts
	Redelivery ident.Redelivery // zero for the automatic attempts
	AskedAt    time.Time        // of the redelivery
	EventID    ident.Event
	Body       []byte
	EventAt    time.Time
	URL        string
	Secrets    []string      // the present one, and the one before while it still signs
	Active     bool          // the endpoint still wants deliveries
	Test       bool          // a test: its failure does not count towards disabling
	Due        bool          // nobody has made this attempt, and nothing has ended it
	Early      time.Duration // until the time of this attempt
	Placed     bool          // a place at the endpoint is kept for it, for long enough
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
	Early          float64
	AskedAt        *time.Time
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
			CASE WHEN CAST(@asked AS boolean) THEN 0 ELSE greatest(0, COALESCE(EXTRACT(EPOCH FROM d.next_attempt_at - now()), 0)) END AS early,
			r.created_at AS asked_at, (CAST(@asked AS boolean) OR d.run = CAST(@run AS integer)) AND EXISTS (
				SELECT FROM webhook_place p WHERE p.webhook_id = d.webhook_id AND p.held_by = @holder
					AND p.held_until > now() + CAST(@attempt AS float8) * interval '1 second'
			) AS placed
		FROM delivery d JOIN event e ON e.id = d.event_id JOIN webhook w ON w.id = d.webhook_id
		LEFT JOIN redelivery r ON r.id = @redelivery
		WHERE d.id = @id`, map[string]any{
		"id": in.DeliveryID, "run": in.Run, "redelivery": in.RedeliveryID, "asked": !in.RedeliveryID.IsZero(), "holder": holder(in),
		"attempt": attemptTime.Seconds(),
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
		Run: in.Run, Redelivery: in.RedeliveryID, AskedAt: value(row.AskedAt), EventID: row.EventID, Body: row.Body, EventAt: row.EventAt, URL: row.URL, Secrets: secrets,
		Active: row.Active, Test: row.Addressed, Due: row.Due, Placed: row.Placed,
		Early: time.Duration(row.Early * float64(time.Second)),
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

// Cancel ends an attempt that the endpoint no longer wants, and with it what is left of the delivery, unless that goes on in
// another run.
func (s *Deliveries) Cancel(ctx context.Context, in deliveryflow.Input) error {
	if !in.RedeliveryID.IsZero() {
		return classify(s.db.conn(ctx).Exec(`UPDATE redelivery SET state = 'CANCELLED' WHERE id = ? AND state = 'PENDING'`, in.RedeliveryID).Error)
	}
	return classify(s.db.conn(ctx).Exec(`UPDATE delivery SET state = 'CANCELLED', completed_at = now(), next_attempt_at = NULL, lane = NULL
		WHERE id = ? AND run = ? AND state = 'PENDING' AND lane IS NULL`, in.DeliveryID, in.Run).Error)
}
