-- Ends outbox_turns.sql: locks a batch of deliveries, either of those that no one has tried to send or, as the rest, of
-- the others. Within a workspace the one that was admitted first goes first. A quarter of the rest is for deliveries
-- whose lease by an express lane has ended, or was written by a clock that was ahead, and as much for those that are
-- reserved while no lane works.
, fresh AS (
	SELECT o.* FROM chosen c CROSS JOIN LATERAL (
		SELECT id, lane, kind, subject, payload, tries, due_at, trace FROM outbox
		WHERE LANE AND workspace_id = c.workspace_id AND not_before <= now()
		ORDER BY due_at, id LIMIT greatest(1, @limit / (SELECT count(*) FROM chosen)) FOR UPDATE SKIP LOCKED
	) o
), ended AS (
	SELECT id, lane, kind, subject, payload, tries, due_at, trace FROM outbox
	WHERE CAST(@rest AS boolean) AND lane = 3
		AND (not_before <= now() OR not_before > now() + (CAST(@lease AS float8) + 60) * interval '1 second')
	ORDER BY not_before, id LIMIT CAST(@limit AS bigint) / 4 FOR UPDATE SKIP LOCKED
), stranded AS (
	SELECT id, lane, kind, subject, payload, tries, due_at, trace FROM outbox
	WHERE CAST(@rest AS boolean) AND lane = 2 AND (SELECT seen_at < now() - CAST(@silence AS float8) * interval '1 second' FROM express_lane)
	LIMIT CAST(@limit AS bigint) / 4 FOR UPDATE SKIP LOCKED
), batch AS (
	SELECT * FROM fresh UNION ALL SELECT * FROM ended UNION ALL SELECT * FROM stranded
), turn AS (
	SELECT (SELECT workspace_id FROM chosen WHERE rank = @turns) AS ended_with
)
