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

// FanOut handles up to limit unhandled events, or more if it waited for another relay meanwhile, and returns the numbers
// of handled events and queued deliveries. Fewer than limit mean that none are left, or that another relay has them.
func (s *Events) FanOut(ctx context.Context, limit int) (handled, queued int, err error) {
	for {
		var row struct{ Found, Handled, Queued int }
		err = s.db.conn(ctx).Raw(fanOutEvents, map[string]any{
			"limit": limit, "test": laneTest, "live": laneLive, "skipped": string(webhook.Skipped),
		}).Scan(&row).Error
		handled, queued = handled+row.Handled, queued+row.Queued
		// Another relay has numbered the rest, and this one has not looked for those that came after.
		if err != nil || row.Handled == 0 || row.Handled == row.Found {
			return handled, queued, classify(err)
		}
	}
}
