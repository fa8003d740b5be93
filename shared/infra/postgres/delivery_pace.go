package postgres

import (
	"context"
	"time"

	"socialpub.internal/shared/kernel/ident"
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
	return classify(s.db.conn(ctx).Exec(`
		INSERT INTO channel_limit AS c (channel_id, until, line)
		SELECT @channel, t.until, t.until FROM (SELECT clock_timestamp() + @micros * interval '1 microsecond' AS until) AS t
		ON CONFLICT (channel_id) DO UPDATE SET probing = false,
			until = CASE WHEN c.probing THEN excluded.until ELSE greatest(c.until, excluded.until) END`,
		map[string]any{"channel": id, "micros": min(max(hold, 0), longestHold).Microseconds()}).Error)
}

// Turn reports whether the network of a limited channel may be called. Zero means yes: the limit is over, or this
// caller is the probe. Otherwise it returns the wait for a place in the channel's line, after which the caller calls
// Turn again. Places are step apart, so that waiting callers neither call all at once nor more often than that. A limit
// further in the future than longestHold was set before the database's clock was set back; it is shortened.
func (s *Attempts) Turn(ctx context.Context, id ident.Channel, step time.Duration) (time.Duration, error) {
	var micros int64
	err := s.db.conn(ctx).Raw(`
		WITH l AS (
			SELECT c.channel_id, c.probing, c.line, least(c.until, clock_timestamp() + @hold * interval '1 microsecond') AS until,
				clock_timestamp() AS now FROM channel_limit c WHERE c.channel_id = @channel FOR NO KEY UPDATE
		), turned AS (
			UPDATE channel_limit c SET
				probing = l.probing OR l.until <= l.now,
				until = CASE WHEN l.until <= l.now THEN l.now + @probe * interval '1 microsecond' ELSE l.until END,
				line = CASE WHEN l.until <= l.now THEN l.line ELSE least(
					greatest(l.line, l.until) + @step * interval '1 microsecond', l.until + @longest * interval '1 microsecond') END
			FROM l WHERE c.channel_id = l.channel_id
			RETURNING CASE WHEN l.until <= l.now THEN 0 ELSE CAST(extract(epoch FROM c.line - l.now) * 1000000 AS bigint) END AS micros
		) SELECT coalesce(max(micros), 0) FROM turned`, map[string]any{
		"channel": id, "step": step.Microseconds(), "probe": probeFor.Microseconds(), "longest": longestLine.Microseconds(),
		"hold": longestHold.Microseconds(),
	}).Scan(&micros).Error
	return time.Duration(micros) * time.Microsecond, classify(err)
}

// Unlimit records that the channel's network accepted a call.
func (s *Attempts) Unlimit(ctx context.Context, id ident.Channel) error {
	return classify(s.db.conn(ctx).Exec(`DELETE FROM channel_limit WHERE channel_id = ?`, id).Error)
}
