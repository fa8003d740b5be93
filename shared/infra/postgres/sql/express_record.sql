-- Records a batch of successful attempts of the express lane: the deliveries, their attempts, the endpoints, the places
-- and the outbox. It is one statement, because the rate of the lane is that of its round trips. A delivery that changed
-- during its request is left out; delivery_record.sql records it by itself.
--
-- The endpoints are locked before the deliveries, as in delivery_record.sql.
WITH input AS (
	SELECT * FROM jsonb_to_recordset(CAST(@attempts AS jsonb)) AS x(
		outbox_id bigint, id uuid, run integer, tries integer, webhook_id uuid, url text, trigger text,
		started_at timestamptz, duration_ms integer, status_code integer, response text,
		request_headers text, response_headers text)
), recovered AS (
	SELECT w.id FROM webhook w
	WHERE w.id IN (SELECT i.webhook_id FROM input i WHERE i.webhook_id = w.id AND i.url = w.url)
		AND (w.is_failing OR w.consecutive_failures > 0)
	ORDER BY w.id FOR NO KEY UPDATE
), found AS (
	SELECT d.id FROM delivery d JOIN input i ON i.id = d.id
	WHERE d.state = 'PENDING' AND d.lane IS NULL AND d.run = i.run AND d.tries = i.tries
		AND (SELECT count(*) FROM recovered) >= 0
	ORDER BY d.id FOR UPDATE OF d
), moved AS (
	UPDATE delivery d SET attempts = attempts + 1, tries = d.tries + 1, state = CAST(@state AS text), next_attempt_at = NULL,
		completed_at = now()
	FROM found WHERE d.id = found.id
	RETURNING d.id, d.webhook_id, d.attempts
), logged AS (
	INSERT INTO delivery_attempt (delivery_id, n, trigger, started_at, duration_ms, status_code, response,
		request_headers, response_headers)
	SELECT m.id, m.attempts, i.trigger, i.started_at, i.duration_ms, i.status_code, i.response,
		i.request_headers, i.response_headers
	FROM moved m JOIN input i ON i.id = m.id
), reset AS (
	UPDATE webhook w SET is_failing = false, consecutive_failures = 0 FROM recovered r
	WHERE w.id = r.id AND w.id IN (SELECT webhook_id FROM moved)
), freed AS (
	UPDATE webhook_place p SET held_by = NULL, held_until = '-infinity' FROM moved m
	WHERE p.webhook_id = m.webhook_id AND p.held_by = m.id
), settled AS (
	DELETE FROM outbox o USING input i JOIN moved m ON m.id = i.id WHERE o.id = i.outbox_id
)
SELECT id FROM moved
