-- Numbers a batch of events and queues a delivery for each endpoint that existed and was subscribed. Events that
-- occur while an endpoint is disabled are recorded as skipped, so that its operator sees them. It is one statement,
-- so that a whole batch of events takes one round trip, while the sequences are locked. The row lock of a sequence
-- serializes relays per workspace, in the same order everywhere.
--
-- The times of an endpoint and of an event come from the clocks of different processes. An event right after the
-- registration may seem older than the endpoint, so that five seconds are tolerated.
WITH batch AS (
	SELECT id, workspace_id, type, webhook_id, created_at FROM event WHERE seq IS NULL
	ORDER BY id LIMIT @limit FOR UPDATE SKIP LOCKED
), counted AS (
	SELECT workspace_id, count(*) AS n FROM batch GROUP BY workspace_id
), locked AS (
	SELECT s.workspace_id, s.last FROM event_sequence s JOIN counted USING (workspace_id)
	ORDER BY s.workspace_id FOR UPDATE OF s
), moved AS (
	UPDATE event_sequence s SET last = s.last + c.n FROM counted c, locked l
	WHERE s.workspace_id = c.workspace_id AND l.workspace_id = c.workspace_id
	RETURNING s.workspace_id, s.last - c.n AS base
), numbered AS (
	UPDATE event e SET seq = m.base + b.rank
	FROM (SELECT id, workspace_id, row_number() OVER (PARTITION BY workspace_id ORDER BY id) AS rank FROM batch) b
	JOIN moved m USING (workspace_id)
	WHERE e.id = b.id RETURNING e.id
), wanted AS (
	SELECT b.workspace_id, b.id AS event_id, w.id AS webhook_id, w.is_active OR b.webhook_id IS NOT NULL AS sent,
		CASE WHEN b.webhook_id IS NOT NULL THEN CAST(@test AS smallint) ELSE CAST(@live AS smallint) END AS lane
	FROM batch b JOIN webhook w ON w.workspace_id = b.workspace_id AND w.deleted_at IS NULL
	WHERE CASE WHEN b.webhook_id IS NOT NULL THEN w.id = b.webhook_id
		ELSE w.created_at <= b.created_at + interval '5 seconds'
			AND (w.events OPERATOR(pg_catalog.@>) ARRAY['*'] OR w.events OPERATOR(pg_catalog.@>) ARRAY[b.type]) END
), made AS (
	INSERT INTO delivery (id, workspace_id, webhook_id, event_id, state, lane, created_at, completed_at)
	SELECT uuid_v7(), workspace_id, webhook_id, event_id, CASE WHEN sent THEN 'PENDING' ELSE CAST(@skipped AS text) END,
		CASE WHEN sent THEN lane END, now(), CASE WHEN NOT sent THEN now() END
	FROM wanted ORDER BY event_id
	ON CONFLICT DO NOTHING
	RETURNING lane
)
SELECT (SELECT count(*) FROM numbered) AS handled, (SELECT count(lane) FROM made) AS queued
