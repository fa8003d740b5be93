-- Reads everything that one attempt of a delivery needs. It is one statement, so that an attempt starts after one
-- round trip, and all of its input comes from one snapshot.
SELECT d.id, d.workspace_id, d.webhook_id, d.event_id, d.state, d.attempts, d.tries, d.created_at,
	e.type, e.body, e.created_at AS event_at, w.url, w.secret,
	CASE WHEN w.previous_secret_until > now() THEN w.previous_secret END AS previous_secret,
	w.deleted_at IS NULL AND (w.is_active OR e.webhook_id IS NOT NULL) AS active,
	e.webhook_id IS NOT NULL AS addressed,
	CASE WHEN CAST(@asked AS boolean) THEN r.state IS NOT DISTINCT FROM 'PENDING'
		ELSE d.state = 'PENDING' AND d.lane IS NULL AND d.run = CAST(@run AS integer) END AS due,
	CASE WHEN CAST(@asked AS boolean) THEN 0
		ELSE greatest(0, COALESCE(EXTRACT(EPOCH FROM d.next_attempt_at - now()), 0)) END AS early,
	r.created_at AS asked_at, (CAST(@asked AS boolean) OR d.run = CAST(@run AS integer)) AND EXISTS (
		SELECT FROM webhook_place p WHERE p.webhook_id = d.webhook_id AND p.held_by = @holder
			AND p.held_until > now() + CAST(@attempt AS float8) * interval '1 second'
	) AS placed
FROM delivery d JOIN event e ON e.id = d.event_id JOIN webhook w ON w.id = d.webhook_id
LEFT JOIN redelivery r ON r.id = @redelivery
WHERE d.id = @id
