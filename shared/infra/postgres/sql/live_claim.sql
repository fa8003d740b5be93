-- Reserves open changes of published posts for an execution: the workspaces take turns, and those that hold many places
-- of the process wait. It is one statement, so that each change has one execution. The row is checked again when it is
-- locked.
WITH open AS (
	SELECT l.post_id, l.n, p.workspace_id, l.next_at,
		row_number() OVER (PARTITION BY p.workspace_id ORDER BY l.next_at) AS turn
	FROM live_change l JOIN post p ON p.id = l.post_id
	WHERE l.next_at <= now() AND l.state = ANY(CAST(@states AS text[])) AND p.workspace_id <> ALL(CAST(@full AS uuid[]))
), free AS (
	SELECT l.post_id, l.n, o.workspace_id FROM live_change l JOIN open o USING (post_id, n)
	WHERE o.turn <= @share AND l.next_at <= now() AND l.state = ANY(CAST(@states AS text[]))
	ORDER BY o.turn, o.next_at LIMIT @limit FOR UPDATE OF l SKIP LOCKED
)
UPDATE live_change l SET owner = gen_random_uuid(), next_at = now() + CAST(@lease AS float8) * interval '1 second'
FROM free f WHERE l.post_id = f.post_id AND l.n = f.n
RETURNING l.post_id, l.n, l.owner, f.workspace_id
