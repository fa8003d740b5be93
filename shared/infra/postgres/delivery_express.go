package postgres

import (
	"context"
	"time"

	"gorm.io/gorm"

	"socialpub.internal/shared/domain/webhook"
	"socialpub.internal/shared/kernel/ident"
)

const (
	// reserveFor is the time after which Temporal gets a delivery that no express lane has taken: no worker is running.
	reserveFor = 3 * time.Second
	// expressLease is the time after which Temporal gets a delivery that an express lane has not settled: longer than an
	// attempt and its record, so that only the lease of a dead process ends.
	expressLease = webhook.AckTimeout + 15*time.Second
)

// Express is a delivery that is leased to an express lane.
type Express struct {
	Dispatch

	outbox int64 // its message, which starts the delivery's workflow unless the lane settles it
}

// Claim leases up to limit deliveries that have waited too long for Temporal. Another process claims each of them only
// after the lease, as a workflow.
func (s *Deliveries) Claim(ctx context.Context, limit int) ([]Express, error) {
	var rows []dispatchRow
	err := s.db.conn(ctx).Raw(claimExpress, map[string]any{
		"limit": limit, "lease": expressLease.Seconds(), "attempt": attemptTime.Seconds(),
	}).Scan(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	claimed := make([]Express, 0, len(rows))
	for _, row := range rows {
		secrets, err := s.secrets(row)
		if err != nil {
			return nil, err
		}
		dispatch := toDispatch(row, secrets)
		dispatch.Run = row.Run
		claimed = append(claimed, Express{Dispatch: dispatch, outbox: row.OutboxID})
	}
	return claimed, nil
}

// Reserve moves deliveries that Temporal has not taken in time to the express lane, and returns their number. It covers
// a Temporal that is down.
func (s *Deliveries) Reserve(ctx context.Context) (int, error) {
	if s.db.express == nil {
		return 0, nil
	}
	conn := s.db.conn(ctx)
	waiting := conn.Table("outbox").Select("id").Where("lane = 0 AND kind = ?", outboxDelivery).
		Where("created_at <= now() - CAST(? AS float8) * interval '1 second'", s.db.express.Seconds()).
		Clauses(locking("FOR UPDATE SKIP LOCKED"))
	result := conn.Table("outbox").Where("id IN (?)", waiting).Updates(map[string]any{
		"lane": laneReserved, "not_before": gorm.Expr("now() + CAST(? AS float8) * interval '1 second'", reserveFor.Seconds()),
	})
	return int(result.RowsAffected), classify(result.Error)
}

// expressAttempt is a successful attempt, as express_record.sql reads it.
type expressAttempt struct {
	OutboxID   int64          `json:"outbox_id"`
	ID         ident.Delivery `json:"id"`
	Run        int            `json:"run"`
	Tries      int            `json:"tries"`
	WebhookID  ident.Webhook  `json:"webhook_id"`
	URL        string         `json:"url"`
	Trigger    string         `json:"trigger"`
	StartedAt  time.Time      `json:"started_at"`
	DurationMS int64          `json:"duration_ms"`
	StatusCode int            `json:"status_code"`
	Response   *string        `json:"response"`
}

// Delivered is a delivery with its successful attempt.
type Delivered struct {
	Express
	webhook.Attempt
}

// RecordDelivered records successful attempts and settles their deliveries. It leaves those that changed during their
// requests, and records nothing for them.
func (s *Deliveries) RecordDelivered(ctx context.Context, batch []Delivered) (recorded, left []Delivered, err error) {
	attempts := make([]expressAttempt, len(batch))
	for i, d := range batch {
		attempts[i] = expressAttempt{
			OutboxID: d.outbox, ID: d.Delivery.ID, Run: d.Run, Tries: d.Delivery.Tries, WebhookID: d.Delivery.WebhookID,
			URL: d.URL, Trigger: string(d.Trigger), StartedAt: d.StartedAt, DurationMS: d.Duration.Milliseconds(),
			StatusCode: d.StatusCode, Response: optional(d.Response),
		}
	}
	raw, err := jsonParam(attempts)
	if err != nil {
		return nil, nil, err
	}
	var rows []struct{ ID ident.Delivery }
	_, succeeded := webhook.PositionsBefore(webhook.ResultSucceeded, false)
	err = s.db.conn(ctx).Raw(recordExpress, map[string]any{"attempts": raw, "state": string(succeeded)}).
		Scan(&rows).Error
	if err != nil {
		return nil, nil, classify(err)
	}
	done := make(map[ident.Delivery]bool, len(rows))
	for _, row := range rows {
		done[row.ID] = true
	}
	for _, d := range batch {
		if done[d.Delivery.ID] {
			recorded = append(recorded, d)
		} else {
			left = append(left, d)
		}
	}
	return recorded, left, nil
}

// Settle ends the leases of deliveries that have ended.
func (s *Deliveries) Settle(ctx context.Context, ended ...Express) error {
	return classify(s.db.conn(ctx).Table("outbox").Where("id IN ?", messagesOf(ended)).Delete(nil).Error)
}

// HandOver ends the leases of deliveries that Temporal continues.
func (s *Deliveries) HandOver(ctx context.Context, open ...Express) error {
	return classify(s.db.conn(ctx).Table("outbox").Where("id IN ?", messagesOf(open)).
		Updates(map[string]any{"lane": LaneUrgent, "not_before": gorm.Expr("'-infinity'"), "due_at": dbNow}).Error)
}

func messagesOf(deliveries []Express) []int64 {
	ids := make([]int64, len(deliveries))
	for i, d := range deliveries {
		ids[i] = d.outbox
	}
	return ids
}
