-- Numbers a batch of events and queues a delivery for each endpoint that existed and was subscribed. Events that
-- occur while an endpoint is disabled are recorded as skipped, so that its operator sees them. It is one statement,
-- so that a whole batch of events takes one round trip, while the sequences are locked. The row lock of a sequence
-- serializes relays per workspace, in the same order everywhere. It is taken before the events are read: a relay that
-- numbered a later event of a post first would reverse their order. A relay that waited for another one finds some of its
-- events numbered.
--
-- The number, and the mode of a test workspace, become part of the envelope, which is then what every delivery,
-- redelivery and replay sends. An envelope ends with the bracket of its object; see event.Numbered.
--
-- The times of an endpoint and of an event come from the clocks of different processes. An event right after the
-- registration may seem older than the endpoint, so that five seconds are tolerated.
WITH found AS (
	SELECT id, workspace_id FROM event WHERE seq IS NULL ORDER BY ordinal NULLS FIRST, id LIMIT @limit
), locked AS (
	SELECT s.workspace_id FROM event_sequence s WHERE s.workspace_id IN (SELECT workspace_id FROM found)
	ORDER BY s.workspace_id FOR UPDATE OF s
), batch AS (
	SELECT e.id, e.workspace_id, e.type, e.webhook_id, e.created_at, e.ordinal, e.body FROM event e
	WHERE e.id IN (SELECT id FROM found) AND e.seq IS NULL AND (SELECT count(*) FROM locked) > 0 FOR UPDATE OF e
), counted AS (
	SELECT workspace_id, count(*) AS n FROM batch GROUP BY workspace_id
), moved AS (
	UPDATE event_sequence s SET last = s.last + c.n FROM counted c JOIN workspace w ON w.id = c.workspace_id
	WHERE s.workspace_id = c.workspace_id
	RETURNING s.workspace_id, s.last - c.n AS base, CASE WHEN w.is_test THEN ',"mode":"test"' ELSE '' END AS mode
), numbered AS (
	UPDATE event e SET seq = m.base + b.rank,
		body = substring(e.body FROM 1 FOR octet_length(e.body) - 1)
			|| convert_to(',"sequence":' || (m.base + b.rank) || m.mode || '}', 'UTF8')
	FROM (SELECT id, workspace_id, row_number() OVER (PARTITION BY workspace_id ORDER BY ordinal NULLS FIRST, id) AS rank
		FROM batch) b
	JOIN moved m USING (workspace_id)
	WHERE e.id = b.id RETURNING e.id
), wanted AS (
	SELECT b.workspace_id, b.ordinal, b.id AS event_id, w.id AS webhook_id, w.is_active OR b.webhook_id IS NOT NULL AS sent,
		CASE WHEN b.webhook_id IS NOT NULL THEN CAST(@test AS smallint) ELSE CAST(@live AS smallint) END AS lane
	FROM batch b JOIN webhook w ON w.workspace_id = b.workspace_id AND w.deleted_at IS NULL
	WHERE CASE WHEN b.webhook_id IS NOT NULL THEN w.id = b.webhook_id
		ELSE w.created_at <= b.created_at + interval '5 seconds'
			AND (w.events OPERATOR(pg_catalog.@>) ARRAY['*'] OR w.events OPERATOR(pg_catalog.@>) ARRAY[b.type])
			AND (w.channel_ids IS NULL -- an event without a channel is not for an endpoint of some channels
				OR CAST(CAST(convert_from(b.body, 'UTF8') AS json) #>> '{data,channelId}' AS uuid) = ANY(w.channel_ids)) END
), made AS (
	INSERT INTO delivery (id, workspace_id, webhook_id, event_id, state, lane, created_at, completed_at)
	SELECT uuid_v7(), workspace_id, webhook_id, event_id, CASE WHEN sent THEN 'PENDING' ELSE CAST(@skipped AS text) END,
		CASE WHEN sent THEN lane END, now(), CASE WHEN NOT sent THEN now() END
	FROM wanted ORDER BY ordinal NULLS FIRST, event_id
	ON CONFLICT DO NOTHING
	RETURNING lane
)
SELECT (SELECT count(*) FROM found) AS found, (SELECT count(*) FROM numbered) AS handled, (SELECT count(lane) FROM made) AS queued
