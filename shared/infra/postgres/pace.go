package postgres

import (
	"context"
	"time"

	"socialpub.internal/shared/kernel/ident"
)

const (
	// probeFor is how long the one who asks whether a limit is over keeps the others waiting if nothing is heard of it any more.
	probeFor = 15 * time.Second
	// longestHold bounds what a network can ask for: at least so often it is asked whether its limit still stands.
	longestHold = time.Hour
	// longestLine bounds how long after the end of a limit the last of the line has its turn.
	longestLine = 5 * time.Minute
)

// Limit notes that the channel's network refuses everybody for so long. What it says last counts for one that asked whether the
// limit is over; of several that were refused at once, the longest.
func (s *Attempts) Limit(ctx context.Context, id ident.Channel, hold time.Duration) error {
	return classify(s.db.conn(ctx).Exec(`
		INSERT INTO channel_limit AS c (channel_id, until, line)
		SELECT @channel, t.until, t.until FROM (SELECT clock_timestamp() + @micros * interval '1 microsecond' AS until) AS t
		ON CONFLICT (channel_id) DO UPDATE SET probing = false,
			until = CASE WHEN c.probing THEN excluded.until ELSE greatest(c.until, excluded.until) END`,
		map[string]any{"channel": id, "micros": min(max(hold, 0), longestHold).Microseconds()}).Error)
}

// Turn asks whether the network of a limited channel may be called. Zero says yes: the limit is over, or whoever asks is the one
// to find out. Otherwise it is how long to wait for a place in the channel's line, in which places are step apart, so that those
// who wait neither come all at once nor ask more often than that. It is asked again then. A limit that is further away than any
// can be was set before the database's clock was put back: it is brought near.
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

// Unlimit notes that the channel's network has let somebody in.
func (s *Attempts) Unlimit(ctx context.Context, id ident.Channel) error {
	return classify(s.db.conn(ctx).Exec(`DELETE FROM channel_limit WHERE channel_id = ?`, id).Error)
}
