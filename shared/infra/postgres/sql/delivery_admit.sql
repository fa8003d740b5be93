-- Moves deliveries out of the lines of endpoints that have a free place, and starts their workflows. It is one
-- statement, so that a place, its delivery and the message to Temporal change together, without a round trip per
-- endpoint.
--
-- A delivery goes to the express lane if more deliveries than Temporal takes in time were admitted before it and have
-- no attempt: in the outbox, or started and waiting for a worker. An older one, of a receiver that hangs, does not count.
--
-- The query finds the endpoints by skipping from one to the next in the index of the lines. It orders by all columns
-- of that index, so that the planner uses no other index, whatever the statistics of the table are. A failing
-- endpoint has one place. A place that is held for a minute more than a hold from now on was taken while the clock was
-- ahead, and is free (delivery_take_place.sql). While a redelivery is waiting, the first place is reserved for it, so that a long line does
-- not delay it. A redelivery whose workflow asks for a place says so every 30 seconds. One that has said nothing for a minute
-- waits for Temporal: it must not stop an endpoint that has only this place.
WITH RECURSIVE lines AS (
	(SELECT webhook_id FROM delivery WHERE lane IS NOT NULL ORDER BY webhook_id, lane, event_id LIMIT 1)
	UNION ALL
	SELECT (SELECT d.webhook_id FROM delivery d WHERE d.lane IS NOT NULL AND d.webhook_id > l.webhook_id
		ORDER BY d.webhook_id, d.lane, d.event_id LIMIT 1)
	FROM lines l WHERE l.webhook_id IS NOT NULL
), free AS (
	SELECT p.webhook_id, p.n FROM lines l JOIN webhook w ON w.id = l.webhook_id JOIN webhook_place p ON p.webhook_id = w.id
	WHERE (p.held_until < now() OR p.held_until > now() + (CAST(@hold AS float8) + 60) * interval '1 second')
		AND (p.n = 1 OR NOT w.is_failing)
		AND (p.n > 1 OR w.id NOT IN (SELECT webhook_id FROM redelivery
			WHERE state = 'PENDING' AND heard_at > now() - interval '1 minute'))
	FOR UPDATE OF p SKIP LOCKED
), counted AS (
	SELECT webhook_id, count(*) AS places FROM free GROUP BY webhook_id
), picked AS (
	SELECT c.webhook_id, d.id, row_number() OVER (PARTITION BY c.webhook_id) AS rank
	FROM counted c CROSS JOIN LATERAL (
		SELECT id FROM delivery WHERE webhook_id = c.webhook_id AND lane IS NOT NULL
		ORDER BY lane, event_id LIMIT c.places FOR UPDATE SKIP LOCKED
	) d
), paired AS (
	SELECT k.webhook_id, k.id, f.n FROM picked k
	JOIN (SELECT webhook_id, n, row_number() OVER (PARTITION BY webhook_id ORDER BY n) AS rank FROM free) f
		USING (webhook_id, rank)
), held AS (
	UPDATE webhook_place p SET held_by = k.id, held_until = now() + CAST(@hold AS float8) * interval '1 second'
	FROM paired k WHERE p.webhook_id = k.webhook_id AND p.n = k.n
), admitted AS (
	UPDATE delivery d SET lane = NULL, run = run + 1, next_attempt_at = now() FROM paired k WHERE d.id = k.id
	RETURNING d.id, d.workspace_id, d.webhook_id, d.event_id, d.run, d.tries, d.created_at
), sorted AS ( -- express: the lane may make this attempt; crowded: Temporal would not take it in time
	SELECT a.*, CAST(@express AS boolean) AND a.tries = 0
			AND x.seen_at >= now() - CAST(@silence AS float8) * interval '1 second' AS express,
		x.busy_until > now() OR a.created_at <= now() - CAST(@after AS float8) * interval '1 second' AS late,
		row_number() OVER (ORDER BY a.id) > @backlog - CASE WHEN x.busy_until > now() THEN 0 ELSE (SELECT count(*) FROM (
			SELECT FROM delivery WHERE state = 'PENDING' AND tries = 0 AND next_attempt_at <= now()
				AND next_attempt_at > now() - CAST(@after AS float8) * interval '1 second' LIMIT @backlog
		) w) END AS crowded
	FROM admitted a CROSS JOIN express_lane x
), queued AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload, lane, trace)
	SELECT 'delivery', id, workspace_id,
		jsonb_build_object('deliveryId', id, 'workspaceId', workspace_id, 'webhookId', webhook_id, 'run', run),
		CASE WHEN express AND (late OR crowded) THEN 2 ELSE 0 END,
		CASE WHEN CAST(@traced AS boolean) THEN (SELECT trace FROM event e WHERE e.id = event_id) END
	FROM sorted ORDER BY id
), busy AS (
	UPDATE express_lane SET busy_until = now() + CAST(@busy AS float8) * interval '1 second'
	WHERE EXISTS (SELECT FROM sorted WHERE express AND crowded AND NOT late)
)
SELECT count(*) FROM admitted
