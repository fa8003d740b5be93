package postgres

import (
	"context"
	"database/sql/driver"
	"time"

	"socialpub.internal/shared/domain/webhook"
	"socialpub.internal/shared/flow/deliveryflow"
	"socialpub.internal/shared/kernel/ident"
)

// hold is the time that a place is held for a delivery without activity: longer than an attempt and its retry, and
// longer than most restarts of Temporal.
const hold = 5 * time.Minute

// attemptTime is the minimum time for which a place must still be held when an attempt starts.
const attemptTime = time.Minute

// admit moves deliveries out of the lines of endpoints that have a free place and starts their workflows. Deliveries
// without a place stay in the database, however many there are: Temporal only sees deliveries that can be sent now, and
// no endpoint or workspace blocks another.
//
// The query finds the endpoints by skipping from one to the next in the index of the lines. It orders by all columns of
// that index, so that the planner uses no other index, whatever the table's statistics are. A failing endpoint has one
// place. While a redelivery is waiting, the first place is reserved for it, so that a long line does not delay it.
const admit = `
WITH RECURSIVE lines AS (
	(SELECT webhook_id FROM delivery WHERE lane IS NOT NULL ORDER BY webhook_id, lane, event_id LIMIT 1)
	UNION ALL
	SELECT (SELECT d.webhook_id FROM delivery d WHERE d.lane IS NOT NULL AND d.webhook_id > l.webhook_id ORDER BY d.webhook_id, d.lane, d.event_id LIMIT 1)
	FROM lines l WHERE l.webhook_id IS NOT NULL
), free AS (
	SELECT p.webhook_id, p.n FROM lines l JOIN webhook w ON w.id = l.webhook_id JOIN webhook_place p ON p.webhook_id = w.id
	WHERE p.held_until < now() AND (p.n = 1 OR NOT w.is_failing)
		AND (p.n > 1 OR w.id NOT IN (SELECT webhook_id FROM redelivery WHERE state = 'PENDING'))
	FOR UPDATE OF p SKIP LOCKED
), counted AS (
	SELECT webhook_id, count(*) AS places FROM free GROUP BY webhook_id
), picked AS (
	SELECT c.webhook_id, d.id, row_number() OVER (PARTITION BY c.webhook_id) AS rank
	FROM counted c CROSS JOIN LATERAL (
		SELECT id FROM delivery WHERE webhook_id = c.webhook_id AND lane IS NOT NULL ORDER BY lane, event_id LIMIT c.places FOR UPDATE SKIP LOCKED
	) d
), paired AS (
	SELECT k.webhook_id, k.id, f.n FROM picked k
	JOIN (SELECT webhook_id, n, row_number() OVER (PARTITION BY webhook_id ORDER BY n) AS rank FROM free) f USING (webhook_id, rank)
), held AS (
	UPDATE webhook_place p SET held_by = k.id, held_until = now() + CAST(@hold AS float8) * interval '1 second'
	FROM paired k WHERE p.webhook_id = k.webhook_id AND p.n = k.n
), admitted AS (
	UPDATE delivery d SET lane = NULL, run = run + 1, next_attempt_at = now() FROM paired k WHERE d.id = k.id
	RETURNING d.id, d.workspace_id, d.webhook_id, d.run
), queued AS (
	INSERT INTO outbox (kind, subject, payload) SELECT 'delivery', id, ` + deliveryPayload + ` FROM admitted
)
SELECT count(*) FROM admitted`

// deliveryPayload builds the input of a delivery's workflow from its row.
const deliveryPayload = `jsonb_build_object('deliveryId', id, 'workspaceId', workspace_id, 'webhookId', webhook_id, 'run', run)`

// Admit gives free places to waiting deliveries, starts their workflows through the outbox, and returns the number of
// admitted deliveries.
func (s *Deliveries) Admit(ctx context.Context) (int, error) {
	var admitted int
	err := s.db.conn(ctx).Raw(admit, map[string]any{"hold": hold.Seconds()}).Scan(&admitted).Error
	return admitted, classify(err)
}

// takePlace renews the place held by the holder, or takes a free one. It is one statement, so that no other transaction
// can intervene.
const takePlace = `
WITH mine AS (
	UPDATE webhook_place SET held_until = now() + CAST(@hold AS float8) * interval '1 second'
	WHERE webhook_id = @webhook AND held_by = @holder AND held_until > now() RETURNING n
), taken AS (
	UPDATE webhook_place SET held_by = @holder, held_until = now() + CAST(@hold AS float8) * interval '1 second'
	WHERE webhook_id = @webhook AND n = (
		SELECT p.n FROM webhook_place p JOIN webhook w ON w.id = p.webhook_id
		WHERE p.webhook_id = @webhook AND p.held_until < now() AND (p.n = 1 OR NOT w.is_failing) AND NOT EXISTS (SELECT FROM mine)
		ORDER BY p.n LIMIT 1 FOR UPDATE OF p SKIP LOCKED
	) RETURNING n
)
SELECT (SELECT count(*) FROM mine) + (SELECT count(*) FROM taken)`

// TakePlace holds a place for the next attempt of a delivery or redelivery; false if its endpoint has no free place.
func (s *Deliveries) TakePlace(ctx context.Context, in deliveryflow.Input) (bool, error) {
	var places int
	err := s.db.conn(ctx).Raw(takePlace, map[string]any{"webhook": in.WebhookID, "holder": holder(in), "hold": hold.Seconds()}).Scan(&places).Error
	return places > 0, classify(err)
}

// GiveBack frees the place of an attempt that is not made, unless the place is held for another run of the delivery.
func (s *Deliveries) GiveBack(ctx context.Context, in deliveryflow.Input) error {
	return classify(s.db.conn(ctx).Exec(`UPDATE webhook_place SET held_by = NULL, held_until = '-infinity' WHERE webhook_id = ? AND held_by = ?
		AND (CAST(? AS boolean) OR EXISTS (SELECT FROM delivery WHERE id = ? AND run = ?))`,
		in.WebhookID, holder(in), !in.RedeliveryID.IsZero(), in.DeliveryID, in.Run).Error)
}

// StandInLine puts a delivery whose endpoint has no free place back into its line, in the lane of live events, whatever
// its origin. Another workflow continues from there.
func (s *Deliveries) StandInLine(ctx context.Context, in deliveryflow.Input) error {
	return classify(s.db.conn(ctx).Exec(`UPDATE delivery SET lane = ?, next_attempt_at = NULL, run = greatest(run, 1) WHERE id = ? AND run = ? AND state = ? AND lane IS NULL`,
		laneLive, in.DeliveryID, in.Run, string(webhook.Pending)).Error)
}

// holder returns the ID under which a place is held.
func holder(in deliveryflow.Input) driver.Valuer {
	if !in.RedeliveryID.IsZero() {
		return in.RedeliveryID
	}
	return in.DeliveryID
}

// Waiting returns the number of deliveries that wait in the line of an endpoint.
func (s *Deliveries) Waiting(ctx context.Context, id ident.Webhook) (int, error) {
	var count int
	err := s.db.conn(ctx).Raw(`SELECT count(*) FROM delivery WHERE webhook_id = ? AND lane IS NOT NULL`, id).Scan(&count).Error
	return count, classify(err)
}

// InLine returns the number of deliveries that wait in the lines of all endpoints.
func (s *Deliveries) InLine(ctx context.Context) (int, error) {
	var count int
	err := s.db.conn(ctx).Raw(`SELECT count(*) FROM delivery WHERE lane IS NOT NULL`).Scan(&count).Error
	return count, classify(err)
}
