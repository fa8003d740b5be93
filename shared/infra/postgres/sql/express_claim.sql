-- Leases a batch of deliveries to the express lane and reads everything that their attempts need, as delivery_load.sql
-- does for one. It is one statement, so that a batch costs one round trip, and a delivery is sent by one process.
WITH free AS (
	SELECT id FROM outbox WHERE lane = 2 ORDER BY not_before, id LIMIT @limit FOR UPDATE SKIP LOCKED
), leased AS (
	UPDATE outbox o SET lane = 3, not_before = now() + CAST(@lease AS float8) * interval '1 second'
	FROM free WHERE o.id = free.id
	RETURNING o.id, o.subject, CAST(o.payload ->> 'run' AS integer) AS run
)
SELECT l.id AS outbox_id, l.run, d.id, d.workspace_id, d.webhook_id, d.event_id, d.state, d.attempts, d.tries,
	d.created_at, e.type, e.body, e.created_at AS event_at, w.url, w.secret,
	CASE WHEN w.previous_secret_until > now() THEN w.previous_secret END AS previous_secret,
	w.deleted_at IS NULL AND (w.is_active OR e.webhook_id IS NOT NULL) AS active,
	e.webhook_id IS NOT NULL AS addressed,
	d.state = 'PENDING' AND d.lane IS NULL AND d.run = l.run AS due,
	greatest(0, COALESCE(EXTRACT(EPOCH FROM d.next_attempt_at - now()), 0)) AS early,
	d.run = l.run AND EXISTS (
		SELECT FROM webhook_place p WHERE p.webhook_id = d.webhook_id AND p.held_by = d.id
			AND p.held_until > now() + CAST(@attempt AS float8) * interval '1 second'
	) AS placed
FROM leased l JOIN delivery d ON d.id = l.subject JOIN event e ON e.id = d.event_id JOIN webhook w ON w.id = d.webhook_id
