-- Ends delivery_record.sql and redelivery_record.sql: moves a delivery whose position is in the row of the domain
-- table for the result, and only counts the attempt of any other. It stores the attempt and changes the endpoint. The
-- failure counter changes under the row lock of the endpoint, so that the endpoint is disabled exactly once, however
-- many workers deliver. Its pending deliveries, redeliveries and replays are then canceled: the deliveries in the order
-- of their IDs, as in express_record.sql, and before the redeliveries, as in redelivery_record.sql. PostgreSQL orders
-- two changes of one statement only if one of them reads the other.
, moved AS (
	UPDATE delivery d SET attempts = attempts + 1, tries = tries + CAST(b.same AS integer), state = CAST(@state AS text),
		lane = NULL, next_attempt_at = now() + CAST(@wait AS float8) * interval '1 second',
		completed_at = CASE WHEN CAST(@state AS text) <> 'PENDING' THEN now() END
	FROM before b WHERE d.id = b.id AND b.position = ANY(CAST(@from AS text[]))
	RETURNING d.id, d.webhook_id, d.attempts, b.open
), kept AS (
	UPDATE delivery d SET attempts = attempts + 1, tries = tries + CAST(b.same AS integer)
	FROM before b WHERE d.id = b.id AND b.position <> ALL(CAST(@from AS text[]))
	RETURNING d.id, d.webhook_id, d.attempts, b.open
), d AS (
	SELECT * FROM moved UNION ALL SELECT * FROM kept
), a AS (
	INSERT INTO delivery_attempt (delivery_id, n, trigger, started_at, duration_ms, status_code, response, error_class,
		request_headers, response_headers)
	SELECT id, attempts, CAST(@trigger AS text), CAST(@started AS timestamptz), CAST(@duration AS integer),
		CAST(@status AS integer), CAST(@response AS text), CAST(@error AS text),
		CAST(@request_headers AS text), CAST(@response_headers AS text)
	FROM d
), counted AS (
	SELECT c.id, c.was_active, CAST(CAST(@counts AS boolean) AND d.open AS integer) AS one,
		CASE WHEN CAST(@reset AS boolean) THEN 0 ELSE c.consecutive_failures END AS failures
	FROM d JOIN changed c ON c.id = d.webhook_id
), means AS (
	SELECT id, was_active, failures + one AS failures, COALESCE(NULLIF(CAST(@disable AS text), ''),
		CASE WHEN one = 1 AND failures + 1 >= CAST(@limit AS integer) THEN CAST(@reason AS text) END) AS disable
	FROM counted
), w AS (
	UPDATE webhook w SET is_failing = @failing, consecutive_failures = m.failures, is_active = false,
		disabled_at = now(), disabled_reason = m.disable, updated_at = now()
	FROM means m WHERE w.id = m.id AND m.was_active AND m.disable IS NOT NULL
	RETURNING w.id
), still AS (
	UPDATE webhook w SET is_failing = @failing, consecutive_failures = m.failures
	FROM means m WHERE w.id = m.id AND NOT (m.was_active AND m.disable IS NOT NULL)
), cancelled AS (
	UPDATE delivery SET state = 'CANCELLED', completed_at = now(), next_attempt_at = NULL, lane = NULL
	WHERE id IN (SELECT id FROM delivery WHERE state = 'PENDING' AND id <> @id AND webhook_id IN (SELECT id FROM w)
		ORDER BY id FOR UPDATE)
	RETURNING id
), asked AS (
	UPDATE redelivery SET state = 'CANCELLED' WHERE state = 'PENDING' AND webhook_id IN (SELECT id FROM w)
		AND (SELECT count(*) FROM cancelled) >= 0
), replays AS (
	UPDATE webhook_replay SET state = 'CANCELLED', completed_at = now()
	WHERE state = 'RUNNING' AND webhook_id IN (SELECT id FROM w)
)
SELECT count(*) FROM d
