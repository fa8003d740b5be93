-- Takes messages that people are to see as read at the network. It is one statement, so that a receipt is with one worker, and comes
-- back after a pause if that one dies.
WITH taken AS (
	UPDATE read_receipt SET tries = tries + 1, next_at = now() + (tries + 1) * interval '1 minute'
	WHERE conversation_id IN (
		SELECT conversation_id FROM read_receipt WHERE next_at <= now() ORDER BY next_at LIMIT @limit FOR UPDATE SKIP LOCKED
	) RETURNING conversation_id, message_id, tries
)
SELECT t.conversation_id, t.message_id, t.tries, v.workspace_id, v.channel_id, v.thread, m.external_id, l.connection
FROM taken t JOIN conversation v ON v.id = t.conversation_id JOIN channel c ON c.id = v.channel_id
LEFT JOIN message m ON m.id = t.message_id
LEFT JOIN LATERAL (SELECT l.connection FROM inbound_connection l
	WHERE l.external_id = c.external_id AND l.enabled ORDER BY l.at DESC LIMIT 1) l ON true
