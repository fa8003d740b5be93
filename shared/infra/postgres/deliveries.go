package postgres

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

// Deliveries stores the deliveries of events to endpoints, and each attempt.
type Deliveries struct {
	db   *DB
	box  *secretbox.Keyring
	turn turn // of the express lane
}

// NewDeliveries returns the store. Without a keyring, every method works except Load.
func NewDeliveries(db *DB, box *secretbox.Keyring) *Deliveries { return &Deliveries{db: db, box: box} }

// Dispatch is the input of one attempt, read in one statement.
type Dispatch struct {
	Delivery    webhook.Delivery
	Run         int              // run of the delivery, for automatic attempts
	Redelivery  ident.Redelivery // zero for the automatic attempts
	RequestedAt time.Time        // when the redelivery was requested
	EventID     ident.Event
	Body        []byte
	EventAt     time.Time
	Trace       string // the position in the trace of the cause of the event; see traces.With
	URL         string
	Secrets     []string      // the current secret, and the previous one while it still signs; none if Sealed
	Sealed      error         // the current secret cannot be decrypted
	Active      bool          // the endpoint still accepts deliveries
	Test        bool          // a test: its failure does not count towards disabling
	Due         bool          // this attempt has not been made, and the delivery has not ended
	Early       time.Duration // time left until this attempt is due
	Leased      time.Duration // time left until the end of an express lane's lease on the delivery
	Placed      bool          // a place at the endpoint is held for the attempt, for long enough
}

// Input returns the input of the workflow that makes this attempt.
func (d Dispatch) Input() flow.DeliveryInput {
	return flow.DeliveryInput{
		DeliveryID: d.Delivery.ID, WorkspaceID: d.Delivery.WorkspaceID, WebhookID: d.Delivery.WebhookID, Run: d.Run,
		RedeliveryID: d.Redelivery,
	}
}

// ExternalEventID returns the ID by which receivers deduplicate.
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
	Trace          string
	URL            string `gorm:"column:url"`
	Secret         []byte
	PreviousSecret []byte
	Active         bool
	Addressed      bool
	Due            bool
	Placed         bool
	Early          float64
	Leased         float64
	RequestedAt    *time.Time
	Run            int
	OutboxID       int64            // of a delivery in the express lane
	EndedWith      *ident.Workspace // the last workspace with a share of a claim, if others had none
}

// Load returns the input of an attempt; NOT_FOUND if the delivery no longer exists.
func (s *Deliveries) Load(ctx context.Context, in flow.DeliveryInput) (Dispatch, error) {
	var row dispatchRow
	err := s.db.conn(ctx).Raw(loadDelivery, map[string]any{
		"id": in.DeliveryID, "run": in.Run, "redelivery": in.RedeliveryID, "asked": !in.RedeliveryID.IsZero(),
		"holder": holder(in), "attempt": attemptTime.Seconds(), "lease": expressLease.Seconds(),
	}).Take(&row).Error
	if err != nil {
		return Dispatch{}, rowError(err, "delivery")
	}
	dispatch := s.dispatch(row)
	dispatch.Redelivery = in.RedeliveryID
	return dispatch, nil
}

func (s *Deliveries) dispatch(row dispatchRow) Dispatch {
	secrets, err := s.secrets(row)
	return Dispatch{
		Delivery: webhook.Delivery{
			ID: row.ID, WorkspaceID: row.WorkspaceID, WebhookID: row.WebhookID, EventID: row.EventID,
			EventType: event.Type(row.Type),
			State:     webhook.State(row.State), Attempts: row.Attempts, Tries: row.Tries, CreatedAt: row.CreatedAt,
		},
		RequestedAt: value(row.RequestedAt), EventID: row.EventID, Body: row.Body,
		EventAt: row.EventAt, Trace: row.Trace, URL: row.URL, Secrets: secrets, Sealed: err,
		Active: row.Active, Test: row.Addressed, Due: row.Due, Placed: row.Placed,
		Early:  time.Duration(row.Early * float64(time.Second)),
		Leased: time.Duration(row.Leased * float64(time.Second)), Run: row.Run,
	}
}

// secrets returns the secrets that currently sign, the current one first.
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

// Cancel ends an attempt that the endpoint no longer accepts. It also cancels the rest of the delivery, unless the
// delivery continues in another run.
func (s *Deliveries) Cancel(ctx context.Context, in flow.DeliveryInput) error {
	if !in.RedeliveryID.IsZero() {
		return classify(s.db.conn(ctx).Table("redelivery").Where("id = ? AND state = 'PENDING'", in.RedeliveryID).
			Update("state", string(webhook.Cancelled)).Error)
	}
	return classify(openDelivery(s.db.conn(ctx), in).Updates(cancellation()).Error)
}

// openDelivery selects the delivery while it waits for the result of this run.
func openDelivery(db *gorm.DB, in flow.DeliveryInput) *gorm.DB {
	return db.Table("delivery").Where("id = ? AND run = ? AND lane IS NULL", in.DeliveryID, in.Run).
		Where("state = ?", string(webhook.Pending))
}

// cancellation returns the columns of a canceled delivery.
func cancellation() map[string]any {
	return map[string]any{
		"state": string(webhook.Cancelled), "completed_at": dbNow, "next_attempt_at": nil, "lane": nil,
	}
}
