-- Ends delivery_load.sql and express_claim.sql: reads everything that an attempt of each selected delivery needs.
SELECT k.outbox_id, k.run, k.ended_with, d.id, d.workspace_id, d.webhook_id, d.event_id, d.state, d.attempts, d.tries,
	d.created_at, COALESCE(e.trace, '') AS trace, e.type, e.body, e.created_at AS event_at, w.url, w.secret,
	CASE WHEN w.previous_secret_until > now() THEN w.previous_secret END AS previous_secret,
	w.deleted_at IS NULL AND (w.is_active OR e.webhook_id IS NOT NULL) AS active,
	e.webhook_id IS NOT NULL AS addressed,
	CASE WHEN k.asked THEN r.state IS NOT DISTINCT FROM 'PENDING'
		ELSE d.state = 'PENDING' AND d.lane IS NULL AND d.run = k.run END AS due,
	-- A first attempt is due when it is admitted, although the clock may have been ahead then.
	CASE WHEN k.asked OR d.tries = 0 THEN 0
		ELSE greatest(0, COALESCE(EXTRACT(EPOCH FROM d.next_attempt_at - now()), 0)) END AS early,
	-- The express lane is sending the delivery. Its own claim does not see the lease, which is as old as this snapshot. A
	-- later end than that of a lease from now on is from a clock that was ahead.
	CASE WHEN k.asked THEN 0 ELSE COALESCE((SELECT EXTRACT(EPOCH FROM max(o.not_before) - now()) FROM outbox o
		WHERE o.lane = 3 AND o.subject = d.id AND o.not_before > now()
			AND o.not_before <= now() + (CAST(@lease AS float8) + 60) * interval '1 second'), 0) END AS leased,
	r.created_at AS asked_at, (k.asked OR d.run = k.run) AND EXISTS (
		SELECT FROM webhook_place p WHERE p.webhook_id = d.webhook_id AND p.held_by = k.holder
			AND p.held_until > now() + CAST(@attempt AS float8) * interval '1 second'
	) AS placed
FROM wanted k JOIN delivery d ON d.id = k.id JOIN event e ON e.id = d.event_id JOIN webhook w ON w.id = d.webhook_id
LEFT JOIN redelivery r ON r.id = k.redelivery
