package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/ident"
)

type deliveryRow struct {
	ID            ident.Delivery
	WorkspaceID   ident.Workspace
	WebhookID     ident.Webhook
	EventID       ident.Event
	EventType     string
	State         string
	Attempts      int
	NextAttemptAt *time.Time
	CreatedAt     time.Time
	CompletedAt   *time.Time
}

const deliveryColumns = `d.id, d.workspace_id, d.webhook_id, d.event_id, e.type AS event_type, d.state, d.attempts, d.next_attempt_at, d.created_at, d.completed_at`

func fromDeliveryRow(r deliveryRow) webhook.Delivery {
	return webhook.Delivery{
		ID: r.ID, WorkspaceID: r.WorkspaceID, WebhookID: r.WebhookID, EventID: r.EventID, EventType: event.Type(r.EventType),
		State: webhook.State(r.State), Attempts: r.Attempts, NextAttemptAt: value(r.NextAttemptAt), CreatedAt: r.CreatedAt,
		CompletedAt: value(r.CompletedAt),
	}
}

// DeliveryFilter narrows List; zero fields do not filter.
type DeliveryFilter struct {
	State  webhook.State
	Type   event.Type
	Before ident.Delivery // the page starts after this delivery
	Limit  int
}

// List returns the deliveries of an endpoint, newest first.
func (s *Deliveries) List(
	ctx context.Context, workspace ident.Workspace, endpoint ident.Webhook, filter DeliveryFilter,
) ([]webhook.Delivery, error) {
	query := s.db.conn(ctx).Table("delivery d").Select(deliveryColumns).Joins("JOIN event e ON e.id = d.event_id").
		Where("d.webhook_id = ? AND d.workspace_id = ?", endpoint, workspace)
	if filter.State != "" {
		query = query.Where("d.state = ?", string(filter.State)).Where(indexedStates(filter.State))
	}
	if filter.Type != "" {
		if !filter.Type.Known() {
			return nil, nil
		}
		// With the literal, the planner knows how rare the type is: a page of a rare one starts from its events. An event
		// with a delivery has a sequence.
		query = query.Where("e.type = '"+string(filter.Type)+"'").Where("e.workspace_id = ? AND e.seq IS NOT NULL", workspace)
	}
	if !filter.Before.IsZero() {
		query = query.Where("d.id < ?", filter.Before)
	}
	var rows []deliveryRow
	if err := query.Order("d.id DESC").Limit(filter.Limit).Scan(&rows).Error; err != nil {
		return nil, classify(err)
	}
	return each(rows, fromDeliveryRow), nil
}

// indexedStates returns the predicate of the index that has the deliveries in a state. The planner uses a partial index
// only for a literal predicate, because plans are made without parameters.
func indexedStates(state webhook.State) string {
	switch state {
	case webhook.Pending:
		return "d.state = 'PENDING'"
	case webhook.Exhausted, webhook.Cancelled, webhook.Skipped:
		return "d.state IN ('FAILED', 'CANCELLED', 'SKIPPED')"
	case webhook.Succeeded: // most deliveries
	}
	return "true"
}

// Get returns one delivery of an endpoint; NOT_FOUND if it does not exist.
func (s *Deliveries) Get(
	ctx context.Context, workspace ident.Workspace, endpoint ident.Webhook, id ident.Delivery,
) (webhook.Delivery, error) {
	var row deliveryRow
	err := s.db.conn(ctx).Table("delivery d").Select(deliveryColumns).Joins("JOIN event e ON e.id = d.event_id").
		Where("d.id = ? AND d.webhook_id = ? AND d.workspace_id = ?", id, endpoint, workspace).Take(&row).Error
	return fromDeliveryRow(row), rowError(err, "delivery")
}

// Attempts returns the attempts of a delivery up to number last, oldest first. With the count of a delivery that was read
// before, the attempts agree with it, although another may have been recorded meanwhile.
func (s *Deliveries) Attempts(ctx context.Context, id ident.Delivery, last int) ([]webhook.Attempt, error) {
	var rows []struct {
		N          int
		Trigger    string
		StartedAt  time.Time
		DurationMs int64
		StatusCode *int
		Response   *string
		ErrorClass *string

		RequestHeaders, ResponseHeaders *string
	}
	err := s.db.conn(ctx).Table("delivery_attempt").
		Select("n, trigger, started_at, duration_ms, status_code, response, error_class, request_headers, "+
			"response_headers").
		Where("delivery_id = ? AND n <= ?", id, last).Order("n").Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	attempts := make([]webhook.Attempt, len(rows))
	for i, r := range rows {
		attempts[i] = webhook.Attempt{
			N: r.N, Trigger: webhook.Trigger(r.Trigger), StartedAt: r.StartedAt,
			Duration:   time.Duration(r.DurationMs) * time.Millisecond,
			StatusCode: value(r.StatusCode), Response: value(r.Response), ErrorClass: value(r.ErrorClass),
			RequestHeaders: value(r.RequestHeaders), ResponseHeaders: value(r.ResponseHeaders),
		}
	}
	return attempts, nil
}
