-- Ends outbox_turns.sql: leases a batch of reserved deliveries to the express lane. Together with delivery_read.sql
-- it is one statement, so that a batch costs one round trip, and a delivery is sent by one process. Within a
-- workspace the delivery that was admitted first goes first. Workspaces that hold many places of the process wait.
, free AS (
	SELECT o.* FROM chosen c CROSS JOIN LATERAL (
		SELECT id FROM outbox WHERE LANE AND workspace_id = c.workspace_id
		ORDER BY due_at, id LIMIT greatest(1, least(@share, @limit / (SELECT count(*) FROM chosen))) FOR UPDATE SKIP LOCKED
	) o
	WHERE c.workspace_id <> ALL(CAST(@full AS uuid[])) LIMIT @limit
), leased AS (
	UPDATE outbox o SET lane = 3, not_before = now() + CAST(@lease AS float8) * interval '1 second'
	FROM free WHERE o.id = free.id
	RETURNING o.id AS outbox_id, o.subject AS id, COALESCE(CAST(o.payload ->> 'run' AS integer), 0) AS run
), wanted AS (
	SELECT outbox_id, id, run, CAST(NULL AS uuid) AS redelivery, id AS holder, false AS asked,
		(SELECT workspace_id FROM chosen WHERE rank = @turns) AS ended_with
	FROM leased
)
