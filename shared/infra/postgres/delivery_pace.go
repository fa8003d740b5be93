package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/kernel/ident"
)

const (
	// probeFor is the time that other callers wait for the probe of a limit if the prober does not report.
	probeFor = 15 * time.Second
	// longestHold bounds the hold that a network can request: the limit is probed at least this often.
	longestHold = time.Hour
	// longestLine bounds the time from the end of a limit to the turn of the last caller in line.
	longestLine = 5 * time.Minute
)

// Limit records that the channel's network rejects all calls for the given time. A probe replaces the previous time;
// otherwise the later time applies.
func (s *Attempts) Limit(ctx context.Context, id ident.Channel, hold time.Duration) error {
	micros := min(max(hold, 0), longestHold).Microseconds()
	return classify(s.db.conn(ctx).Exec(limitChannel, map[string]any{"channel": id, "micros": micros}).Error)
}

// Turn reports whether the network of a limited channel may be called. Zero means yes: the limit is over, or this
// caller is the probe. Otherwise it returns the wait for a place in the channel's line, after which the caller calls
// Turn again. Places are step apart, so that waiting callers neither call all at once nor more often than that. A limit
// further in the future than longestHold was set before the database's clock was set back; it is shortened.
func (s *Attempts) Turn(ctx context.Context, id ident.Channel, step time.Duration) (time.Duration, error) {
	var micros int64
	err := s.db.conn(ctx).Raw(takeTurn, map[string]any{
		"channel": id, "step": step.Microseconds(), "probe": probeFor.Microseconds(), "longest": longestLine.Microseconds(),
		"hold": longestHold.Microseconds(),
	}).Scan(&micros).Error
	return time.Duration(micros) * time.Microsecond, classify(err)
}

// Unlimit records that the channel's network accepted a call.
func (s *Attempts) Unlimit(ctx context.Context, id ident.Channel) error {
	return classify(s.db.conn(ctx).Table("channel_limit").Where("channel_id = ?", id).Delete(nil).Error)
}
