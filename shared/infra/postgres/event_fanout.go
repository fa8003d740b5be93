package postgres

import (
	"context"

	"fencepost.internal/shared/domain/webhook"
)

// The lanes of an endpoint's line. Lower lanes go first.
const (
	laneTest   = 0 // a person waits for the result
	laneLive   = 1 // new events and their retries, oldest first
	laneReplay = 2
)

// FanOut handles up to limit unhandled events and returns the numbers of handled events and queued deliveries.
func (s *Events) FanOut(ctx context.Context, limit int) (handled, queued int, err error) {
	var row struct{ Handled, Queued int }
	err = s.db.conn(ctx).Raw(fanOutEvents, map[string]any{
		"limit": limit, "test": laneTest, "live": laneLive, "skipped": string(webhook.Skipped),
	}).Scan(&row).Error
	return row.Handled, row.Queued, classify(err)
}
