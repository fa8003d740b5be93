-- Sets the beginning and the time of the last message of conversations that have changed. It is one statement by itself, because it
-- must see the messages that the one before stored.
UPDATE conversation c SET revision = c.revision + 1, changed_at = now(),
	last_at = COALESCE((SELECT m.sent_at FROM message m WHERE m.conversation_id = c.id AND m.direction <> 'NOTE'
		ORDER BY m.sent_at DESC LIMIT 1), c.last_at),
	preview = COALESCE(
		(SELECT left(CASE WHEN m.text <> '' THEN m.text WHEN m.unsupported <> '' THEN m.unsupported ELSE COALESCE(
				(SELECT CASE split_part(f.type, '/', 1) WHEN 'image' THEN 'a picture' WHEN 'video' THEN 'a video' WHEN 'audio' THEN 'a sound'
						ELSE f.name END FROM message_file f WHERE f.message_id = m.id ORDER BY f.n LIMIT 1), '') END, 140) FROM message m
			WHERE m.conversation_id = c.id AND m.direction <> 'NOTE' AND m.deleted_at IS NULL
			ORDER BY m.sent_at DESC, m.external_id DESC NULLS FIRST LIMIT 1), '')
WHERE c.id = ANY(CAST(@ids AS uuid[]))
