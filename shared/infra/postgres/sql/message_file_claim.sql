-- Reserves files of messages that are to be loaded: the workspaces take turns, and those that hold many places of the process wait.
-- It is one statement, so that each file has one execution. The row is checked again when it is locked. Files of an account
-- whose requests failed too often within an hour wait; the last two requests are left to files that are new.
WITH due AS (
	SELECT f.message_id, f.n, f.next_at, m.workspace_id, m.channel_id,
		row_number() OVER (PARTITION BY m.workspace_id ORDER BY f.next_at) AS turn
	FROM message_file f JOIN message m ON m.id = f.message_id JOIN channel c ON c.id = m.channel_id
	WHERE f.state = 'WAITING' AND f.next_at <= now() AND m.workspace_id <> ALL(CAST(@full AS uuid[]))
		AND NOT EXISTS (SELECT FROM message_file_failures x WHERE x.network = c.type AND x.account = c.external_id
			AND x.since > now() - interval '1 hour' AND x.failed >= x.most - CASE WHEN f.tries = 0 THEN 0 ELSE 2 END)
), free AS (
	SELECT f.message_id, f.n, d.workspace_id, d.channel_id FROM message_file f JOIN due d USING (message_id, n)
	WHERE d.turn <= @share AND f.state = 'WAITING' AND f.next_at <= now()
	ORDER BY d.turn, d.next_at LIMIT @limit FOR UPDATE OF f SKIP LOCKED
)
UPDATE message_file f SET next_at = now() + CAST(@lease AS float8) * interval '1 second'
FROM free WHERE f.message_id = free.message_id AND f.n = free.n
RETURNING f.message_id, f.n, f.network_ref, f.name, f.type, f.size, f.tries, free.workspace_id, free.channel_id,
	EXTRACT(EPOCH FROM now() - f.since) AS age
