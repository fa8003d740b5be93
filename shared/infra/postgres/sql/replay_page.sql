-- Queues the next page of a replay: the events of the endpoint in the range, in log order. Delivered events are
-- skipped if only failed ones are requested; events in delivery are always skipped. It is one statement, so that a
-- page and the progress of the replay change together, whatever the number of events is. The row of the endpoint is
-- locked first, as in every statement that changes several of its deliveries. Existing deliveries are then locked in the
-- order of their IDs, as in express_record.sql.
WITH w AS (
	SELECT id, is_active, events, channel_ids FROM webhook WHERE id = (SELECT webhook_id FROM webhook_replay WHERE id = @id) FOR SHARE
), r AS (
	SELECT * FROM webhook_replay WHERE id = @id AND state = 'RUNNING' AND (SELECT count(*) FROM w) >= 0 FOR UPDATE
), page AS (
	SELECT e.id, e.seq, e.type, e.webhook_id, e.body FROM event e, r
	WHERE e.workspace_id = r.workspace_id AND e.seq > r.after_seq AND e.created_at >= r.since AND e.created_at < r.until
	ORDER BY e.seq LIMIT @limit
), existing AS (
	SELECT d.id FROM delivery d WHERE d.event_id IN (SELECT id FROM page) AND d.webhook_id = (SELECT webhook_id FROM r)
	ORDER BY d.id FOR UPDATE
), put AS (
	INSERT INTO delivery AS d (id, workspace_id, webhook_id, event_id, state, lane, created_at)
	SELECT uuid_v7(), r.workspace_id, r.webhook_id, p.id, 'PENDING', CAST(@lane AS smallint), now()
	FROM r JOIN w ON w.id = r.webhook_id AND w.is_active, page p
	WHERE p.webhook_id IS NULL AND (SELECT count(*) FROM existing) >= 0
		AND (w.events OPERATOR(pg_catalog.@>) ARRAY['*'] OR w.events OPERATOR(pg_catalog.@>) ARRAY[p.type])
		AND (w.channel_ids IS NULL -- as in event_fanout.sql
			OR CAST(CAST(convert_from(p.body, 'UTF8') AS json) #>> '{data,channelId}' AS uuid) = ANY(w.channel_ids))
	ORDER BY p.seq
	ON CONFLICT (event_id, webhook_id) DO UPDATE
		SET state = 'PENDING', lane = excluded.lane, tries = 0, run = greatest(d.run, 1), next_attempt_at = NULL,
			completed_at = NULL
		WHERE d.state IN ('FAILED', 'CANCELLED', 'SKIPPED') OR d.state = 'SUCCEEDED' AND NOT (SELECT only_failed FROM r)
	RETURNING d.id
), moved AS (
	UPDATE webhook_replay SET queued = queued + (SELECT count(*) FROM put),
		heard_at = now(), after_seq = COALESCE((SELECT max(seq) FROM page), after_seq),
		state = CASE WHEN (SELECT count(*) FROM page) < @limit THEN 'COMPLETED' ELSE state END,
		completed_at = CASE WHEN (SELECT count(*) FROM page) < @limit THEN now() END
	WHERE id IN (SELECT id FROM r) RETURNING state, queued
)
SELECT state, queued FROM moved
