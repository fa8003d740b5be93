-- Lets the person of a conversation see as read what they wrote until a time. It is one statement, so that it can be part of the
-- record of an answer without a second reading.
INSERT INTO read_receipt AS r (conversation_id, message_id)
SELECT v.id, m.id FROM conversation v, LATERAL (
	SELECT m.id FROM message m WHERE m.conversation_id = v.id AND m.direction = 'IN' AND m.external_id IS NOT NULL
		AND m.sent_at <= CAST(@until AS timestamptz) ORDER BY m.sent_at DESC, m.id DESC LIMIT 1
) m
WHERE v.id = @id AND v.kind = 'MESSAGES'
	AND (@always OR EXISTS (SELECT FROM channel_inbox i WHERE i.channel_id = v.channel_id AND i.reads_on_open))
ON CONFLICT (conversation_id) DO UPDATE SET message_id = excluded.message_id, tries = 0, next_at = now()
	WHERE r.message_id <> excluded.message_id
