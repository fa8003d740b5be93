-- Chooses the workspaces of a batch. It is one statement with outbox_take_urgent.sql, outbox_take_deliveries.sql or
-- express_claim.sql, which give each workspace an equal share, so that a workspace with thousands of messages does not
-- delay the others.
--
-- The query finds the workspaces by skipping from one to the next in the index of the lane, beginning after the
-- workspace that the previous batch ended with. The predicate of that index replaces LANE here and in the rest of the statement: it
-- must be literal.
WITH RECURSIVE above AS (
	(SELECT workspace_id, 1 AS n FROM outbox WHERE LANE AND workspace_id > CAST(@after AS uuid)
		ORDER BY workspace_id, due_at, id LIMIT 1)
	UNION ALL
	SELECT (SELECT o.workspace_id FROM outbox o WHERE LANE AND o.workspace_id > a.workspace_id
		ORDER BY o.workspace_id, o.due_at, o.id LIMIT 1), a.n + 1
	FROM above a WHERE a.workspace_id IS NOT NULL AND a.n < @turns
), below AS (
	(SELECT workspace_id, 1 AS n FROM outbox WHERE LANE AND workspace_id <= CAST(@after AS uuid)
		ORDER BY workspace_id, due_at, id LIMIT 1)
	UNION ALL
	SELECT (SELECT o.workspace_id FROM outbox o
		WHERE LANE AND o.workspace_id > b.workspace_id AND o.workspace_id <= CAST(@after AS uuid)
		ORDER BY o.workspace_id, o.due_at, o.id LIMIT 1), b.n + 1
	FROM below b WHERE b.workspace_id IS NOT NULL AND b.n < @turns
), chosen AS (
	SELECT workspace_id, row_number() OVER (ORDER BY half, n) AS rank FROM (
		SELECT workspace_id, 0 AS half, n FROM above UNION ALL SELECT workspace_id, 1, n FROM below
	) w WHERE workspace_id IS NOT NULL ORDER BY half, n LIMIT @turns
)
