package postgres

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// expressLease is the time after which Temporal gets a delivery that an express lane has not settled: longer than
	// an attempt and its record, so that only the lease of a dead process ends.
	expressLease = webhook.AckTimeout + 15*time.Second
	// expressSilence is the time after which a lane that reported nothing counts as dead. Its deliveries go to Temporal.
	expressSilence = 3 * time.Second
	// expressBusy is the time for which Temporal counts as late after a delivery that it did not take in time, or
	// after more deliveries than it takes in time. Then it gets deliveries again.
	expressBusy = 10 * time.Second
	// expressRate is the number of deliveries per second that Temporal takes on two cores. A backlog for more than the
	// setting of the lane counts as late at once, also one of started workflows: it takes the processors from the lane
	// until the first delivery is late.
	expressRate = 50
	// expressHandOvers is the number of hand-overs without an attempt after which a delivery is left to Temporal.
	expressHandOvers = 3
	// expressReserve bounds the deliveries that one statement reserves.
	expressReserve = 500
)

// Express is a delivery that is leased to an express lane.
type Express struct {
	Dispatch

	outbox int64 // its message, which starts the delivery's workflow unless the lane settles it
}

// Claim leases reserved deliveries. Another process gets each of them only after the lease, as a workflow.
func (s *Deliveries) Claim(ctx context.Context, turn retry.Turn) ([]Express, error) {
	var rows []dispatchRow
	err := s.db.conn(ctx).Raw(claimExpress, turnParams(turn, map[string]any{
		"turns": turn.Limit + len(turn.Full), "after": s.turn.after().String(), "lease": expressLease.Seconds(),
		"attempt": attemptTime.Seconds(),
	})).Scan(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	claimed := make([]Express, len(rows))
	for i, row := range rows {
		s.turn.last.Store(row.EndedWith)
		claimed[i] = Express{Dispatch: s.dispatch(row), outbox: row.OutboxID}
	}
	return claimed, nil
}

// Reserve reports that an express lane works, moves first attempts to it that Temporal has not taken in time, and
// returns their number. It covers a Temporal that is slow or down. Without the setting of the lane, it does nothing.
func (s *Deliveries) Reserve(ctx context.Context) (int, error) {
	if s.db.express == nil {
		return 0, nil
	}
	var reserved int
	err := s.db.conn(ctx).Raw(reserveExpress, map[string]any{
		"after": s.db.express.Seconds(), "silence": expressSilence.Seconds(), "busy": expressBusy.Seconds(),
		"hand_overs": expressHandOvers, "limit": expressReserve,
	}).Scan(&reserved).Error
	return reserved, classify(err)
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

	RequestHeaders  *string `json:"request_headers"`
	ResponseHeaders *string `json:"response_headers"`
}

// Delivered is a delivery with its successful attempt.
type Delivered struct {
	Express
	webhook.Attempt
}

// RecordDelivered records successful attempts and settles their deliveries. It leaves those that changed during their
// requests, and records nothing for them.
func (s *Deliveries) RecordDelivered(ctx context.Context, batch []Delivered) (recorded, remaining []Delivered, err error) {
	attempts := make([]expressAttempt, len(batch))
	for i, d := range batch {
		attempts[i] = expressAttempt{
			OutboxID: d.outbox, ID: d.Delivery.ID, Run: d.Run, Tries: d.Delivery.Tries, WebhookID: d.Delivery.WebhookID,
			URL: d.URL, Trigger: string(d.Trigger), StartedAt: d.StartedAt, DurationMS: d.Duration.Milliseconds(),
			StatusCode: d.StatusCode, Response: optional(d.Response),
			RequestHeaders: optional(d.RequestHeaders), ResponseHeaders: optional(d.ResponseHeaders),
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
			remaining = append(remaining, d)
		}
	}
	return recorded, remaining, nil
}

// Conclude records an attempt that did not succeed, or that was left by RecordDelivered, and ends the lease: Temporal
// continues the delivery, unless the attempt has ended it. It reports false if the attempt was already recorded.
func (s *Deliveries) Conclude(ctx context.Context, d Delivered, v Verdict) (recorded bool, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		if recorded, err = s.Record(ctx, d.Dispatch, d.Attempt, v); err != nil {
			return err
		}
		if recorded && v.State != webhook.Pending {
			return s.Settle(ctx, d.Express)
		}
		return s.HandOver(ctx, d.Express)
	})
	return recorded && err == nil, err
}

// Settle ends the lease of a delivery that has ended or is back in its line: it needs no workflow.
func (s *Deliveries) Settle(ctx context.Context, x Express) error {
	return classify(s.db.conn(ctx).Table("outbox").Where("id = ?", x.outbox).Delete(nil).Error)
}

// HandOver ends the lease of a delivery that Temporal continues.
func (s *Deliveries) HandOver(ctx context.Context, x Express) error {
	return classify(s.db.conn(ctx).Table("outbox").Where("id = ?", x.outbox).Updates(map[string]any{
		"lane": LaneUrgent, "not_before": gorm.Expr("'-infinity'"), "due_at": dbNow, "tries": gorm.Expr("tries + 1"),
	}).Error)
}
