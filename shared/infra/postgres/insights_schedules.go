package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
)

// analysed returns the channel types whose figures are collected.
func analysed() textArray {
	var types []channel.Type
	for _, t := range channel.Types() {
		if t.Capabilities().Analytics {
			types = append(types, t)
		}
	}
	return toArray(types)
}

// EnqueueSchedules compares the channels that need a schedule with those that have one, and enqueues up to limit
// missing and up to limit surplus schedules. It returns the number of enqueued messages. A schedule without activity
// for longer than silence is enqueued again. A channel whose figures were never collected gets its first collection at
// once.
func (s *Insights) EnqueueSchedules(ctx context.Context, silence time.Duration, limit int) (int, error) {
	var count int
	err := s.db.conn(ctx).Raw(enqueueSchedules,
		map[string]any{
			"types": analysed(), "silence": silence.Seconds(), "limit": limit, "pace": collectionPace.Seconds(),
		}).Scan(&count).Error
	return count, classify(err)
}

// collectionPace is the interval between collections requested at the same moment. It keeps their load on Temporal and
// the database from delaying due posts.
const collectionPace = 250 * time.Millisecond

// CollectNow enqueues an immediate collection of a channel's figures. Several requests are spread at collectionPace. It
// returns NOT_FOUND unless the channel exists, is connected and has figures.
func (s *Insights) CollectNow(ctx context.Context, id ident.Channel) error {
	result := s.db.conn(ctx).Exec(collectNow, map[string]any{
		"channel": id, "types": analysed(), "pace": collectionPace.Seconds(),
	})
	return affected(result, "connected channel whose network reports figures")
}

// resetSchedules makes the next rounds of EnqueueSchedules create every schedule again. Rows of schedules that must be
// deleted are kept.
func resetSchedules(ctx context.Context, db *DB) error {
	return classify(db.conn(ctx).Table("insight_schedule").
		Where("channel_id IN (SELECT id FROM channel WHERE is_connected)").Delete(nil).Error)
}
