-- Locks a batch of urgent messages. Each workspace that has some gets an equal share, so that a workspace with
-- thousands of messages does not delay the others; within a workspace the earliest due message goes first. It is one
-- statement, because the relay takes a batch in one round trip, however busy it is.
--
-- The query finds the workspaces by skipping from one to the next in the index, beginning after the workspace that the
-- previous batch ended with. A quarter of the batch is for messages of the patient lane that have become due meanwhile.
WITH RECURSIVE above AS (
	(SELECT workspace_id, 1 AS n FROM outbox WHERE lane = 0 AND workspace_id > CAST(@after AS uuid)
		ORDER BY workspace_id, due_at, id LIMIT 1)
	UNION ALL
	SELECT (SELECT o.workspace_id FROM outbox o WHERE o.lane = 0 AND o.workspace_id > a.workspace_id
		ORDER BY o.workspace_id, o.due_at, o.id LIMIT 1), a.n + 1
	FROM above a WHERE a.workspace_id IS NOT NULL AND a.n < @limit
), below AS (
	(SELECT workspace_id, 1 AS n FROM outbox WHERE lane = 0 AND workspace_id <= CAST(@after AS uuid)
		ORDER BY workspace_id, due_at, id LIMIT 1)
	UNION ALL
	SELECT (SELECT o.workspace_id FROM outbox o
		WHERE o.lane = 0 AND o.workspace_id > b.workspace_id AND o.workspace_id <= CAST(@after AS uuid)
		ORDER BY o.workspace_id, o.due_at, o.id LIMIT 1), b.n + 1
	FROM below b WHERE b.workspace_id IS NOT NULL AND b.n < @limit
), chosen AS (
	SELECT workspace_id, row_number() OVER (ORDER BY half, n) AS rank FROM (
		SELECT workspace_id, 0 AS half, n FROM above UNION ALL SELECT workspace_id, 1, n FROM below
	) w WHERE workspace_id IS NOT NULL ORDER BY half, n LIMIT @limit
), urgent AS (
	SELECT o.* FROM chosen c CROSS JOIN LATERAL (
		SELECT id, lane, kind, subject, payload, tries, due_at FROM outbox
		WHERE lane = 0 AND workspace_id = c.workspace_id AND not_before <= now() AND kind = ANY(CAST(@kinds AS text[]))
		ORDER BY due_at, id LIMIT greatest(1, @limit / (SELECT count(*) FROM chosen)) FOR UPDATE SKIP LOCKED
	) o
), matured AS (
	SELECT id, lane, kind, subject, payload, tries, due_at FROM outbox
	WHERE lane = 1 AND due_at <= now() + interval '2 minutes' AND not_before <= now()
		AND kind = ANY(CAST(@kinds AS text[]))
	ORDER BY due_at, id LIMIT CAST(@limit AS bigint) / 4 FOR UPDATE SKIP LOCKED
), unsettled AS ( -- deliveries that no express lane settled in time
	SELECT id, lane, kind, subject, payload, tries, due_at FROM outbox
	WHERE lane IN (2, 3) AND not_before <= now() AND kind = ANY(CAST(@kinds AS text[]))
	ORDER BY not_before, id LIMIT CAST(@limit AS bigint) / 4 FOR UPDATE SKIP LOCKED
), batch AS (
	SELECT *, (SELECT workspace_id FROM chosen WHERE rank = @limit) AS ended_with
	FROM (SELECT * FROM urgent UNION ALL SELECT * FROM matured UNION ALL SELECT * FROM unsettled) m
)
