package postgres

import (
	"context"
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/flow/insightsflow"
	"socialpub.internal/shared/kernel/ident"
)

// InsightsMessage instructs the relay to create or delete a channel's schedule in Temporal.
type InsightsMessage struct {
	Input  insightsflow.Input
	Wanted bool // the schedule must exist; otherwise it must not
	Now    bool // start a collection at once
}

// insightsPayload is the payload of such a message. Whether the schedule must exist is read at delivery, so that
// messages may be delivered out of order.
type insightsPayload struct {
	Now bool `json:"now,omitempty"`
}

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
	err := s.db.conn(ctx).Raw(`
		WITH missing AS (
			INSERT INTO insight_schedule AS s (channel_id, told_at)
			SELECT c.id, now() FROM channel c LEFT JOIN insight_schedule had ON had.channel_id = c.id LEFT JOIN insight_progress p ON p.channel_id = c.id
			WHERE c.is_connected AND c.type = ANY(CAST(@types AS text[])) AND (had.channel_id IS NULL OR
				GREATEST(had.told_at, p.heard_at) < now() - CAST(@silence AS float8) * interval '1 second')
			ORDER BY c.id LIMIT @limit
			ON CONFLICT (channel_id) DO UPDATE SET told_at = now() WHERE s.told_at < now() - CAST(@silence AS float8) * interval '1 second'
			RETURNING channel_id
		), surplus AS (
			DELETE FROM insight_schedule WHERE channel_id IN (
				SELECT s.channel_id FROM insight_schedule s LEFT JOIN channel c ON c.id = s.channel_id
				WHERE c.id IS NULL OR NOT c.is_connected OR c.type <> ALL(CAST(@types AS text[])) LIMIT @limit FOR UPDATE OF s SKIP LOCKED)
			RETURNING channel_id
		), told AS (
			INSERT INTO outbox (kind, subject, payload, not_before)
			SELECT 'insights', m.channel_id, jsonb_build_object('now', NOT EXISTS (SELECT FROM insight_progress p WHERE p.channel_id = m.channel_id)),
				now() + (row_number() OVER (ORDER BY m.channel_id) - 1) * CAST(@pace AS float8) * interval '1 second'
			FROM missing m
			UNION ALL SELECT 'insights', channel_id, CAST('{}' AS jsonb), now() FROM surplus
			RETURNING 1
		) SELECT count(*) FROM told`,
		map[string]any{"types": analysed(), "silence": silence.Seconds(), "limit": limit, "pace": collectionPace.Seconds()}).Scan(&count).Error
	return count, classify(err)
}

// collectionPace is the interval between collections requested at the same moment. It keeps their load on Temporal and
// the database from delaying due posts.
const collectionPace = 250 * time.Millisecond

// CollectNow enqueues an immediate collection of a channel's figures. Several requests are spread at collectionPace. It
// returns NOT_FOUND unless the channel exists, is connected and has figures.
func (s *Insights) CollectNow(ctx context.Context, id ident.Channel) error {
	result := s.db.conn(ctx).Exec(`INSERT INTO outbox (kind, subject, payload, not_before)
		SELECT 'insights', id, CAST('{"now": true}' AS jsonb),
			now() + (SELECT count(*) FROM outbox WHERE kind = 'insights') * CAST(? AS float8) * interval '1 second'
		FROM channel WHERE id = ? AND is_connected AND type = ANY(CAST(? AS text[]))`, collectionPace.Seconds(), id, analysed())
	if result.Error == nil && result.RowsAffected == 0 {
		return notFound("connected channel whose network reports figures")
	}
	return classify(result.Error)
}

// forgetSchedules makes the next rounds of EnqueueSchedules create every schedule again. Rows of schedules that must be
// deleted are kept.
func forgetSchedules(ctx context.Context, db *DB) error {
	return classify(db.conn(ctx).Exec(`DELETE FROM insight_schedule s USING channel c WHERE c.id = s.channel_id AND c.is_connected`).Error)
}

// toInsightsMessage returns the wanted state of a channel's schedule, based on the channel's current row.
func toInsightsMessage(row outboxRow) (*InsightsMessage, error) {
	id, err := ident.Parse[ident.Channel](row.Subject)
	if err != nil {
		return nil, err
	}
	payload, err := decode[insightsPayload](row.Payload)
	if err != nil {
		return nil, err
	}
	m := &InsightsMessage{Input: insightsflow.Input{ChannelID: id}}
	if row.OwnerID == nil || !row.Connected {
		return m, nil
	}
	typ := channel.Type(row.OwnType)
	m.Input.WorkspaceID, m.Input.Network = *row.OwnerID, typ.Network()
	m.Wanted = typ.Capabilities().Analytics
	m.Now = payload.Now && m.Wanted
	return m, nil
}
