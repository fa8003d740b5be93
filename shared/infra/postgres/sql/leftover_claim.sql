-- Reserves uploads that attempts left on their networks: the workspaces take turns, and those that hold many places of
-- the process wait. It is one statement, so that each upload has one execution. The row is checked again when it is
-- locked.
WITH due AS (
	SELECT a.post_id, a.n, p.workspace_id, a.discard_after,
		row_number() OVER (PARTITION BY p.workspace_id ORDER BY a.discard_after) AS turn
	FROM publish_attempt a JOIN post p ON p.id = a.post_id
	WHERE a.discard_after <= now() AND p.workspace_id <> ALL(CAST(@full AS uuid[]))
), free AS (
	SELECT a.post_id, a.n, d.workspace_id FROM publish_attempt a JOIN due d USING (post_id, n)
	WHERE d.turn <= @share AND a.discard_after <= now()
	ORDER BY d.turn, d.discard_after LIMIT @limit FOR UPDATE OF a SKIP LOCKED
)
UPDATE publish_attempt a SET discard_after = now() + CAST(@lease AS float8) * interval '1 second'
FROM free f WHERE a.post_id = f.post_id AND a.n = f.n
RETURNING a.post_id, a.n, a.handle, a.channel_id, f.workspace_id
