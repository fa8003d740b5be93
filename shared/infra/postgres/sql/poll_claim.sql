-- Reserves a due poll for an execution. It is one statement, so that two executions never read the same place at a time. A pause
-- after too many calls holds all polls of the channel, and no post.
UPDATE inbox_poll p SET lease_owner = @owner, lease_until = now() + CAST(@life AS float8) * interval '1 second'
FROM channel c
WHERE (p.channel_id, p.post) = (
	SELECT d.channel_id, d.post FROM inbox_poll d JOIN channel k ON k.id = d.channel_id
		JOIN inbox_poll h ON h.channel_id = d.channel_id AND h.post = ''
	WHERE d.next_at <= now() AND (d.lease_until IS NULL OR d.lease_until <= now()) AND h.paused_until <= now()
		AND k.is_connected AND k.token_status <> 'NEEDS_RECONNECT' AND k.public_inbox
	ORDER BY d.next_at LIMIT 1 FOR UPDATE OF d SKIP LOCKED)
	AND c.id = p.channel_id
RETURNING p.channel_id, c.workspace_id, p.post, p.cursor, p.since, p.tries, p.posted_at
