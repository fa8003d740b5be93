-- Locks a batch of messages and reads the objects that they refer to: urgent messages first, plus a share of the
-- others, so that a stream of urgent messages does not block the others forever. It is one statement, because the
-- relay takes a batch in one round trip, however busy it is.
WITH urgent AS (
	SELECT id, kind, subject, payload, tries FROM outbox
	WHERE not_before <= now() AND kind = ANY(CAST(@kinds AS text[]))
	ORDER BY not_before, id LIMIT @limit FOR UPDATE SKIP LOCKED
), patient AS (
	SELECT id, kind, subject, payload, tries FROM outbox
	WHERE not_before > '-infinity' AND not_before <= now() AND kind = ANY(CAST(@kinds AS text[]))
	ORDER BY not_before, id LIMIT CAST(@limit AS bigint) / 4 FOR UPDATE SKIP LOCKED
), batch AS (
	SELECT * FROM urgent UNION SELECT * FROM patient
)
SELECT b.id, b.kind, b.subject, b.payload, b.tries, p.workspace_id, p.channel_id, c.type AS channel_type,
	c.name AS channel_name,
	o.workspace_id AS owner_id, COALESCE(o.type, '') AS own_type, COALESCE(o.is_connected, false) AS connected
FROM batch b LEFT JOIN post p ON b.kind IN ('post', 'restart') AND p.id = b.subject
	LEFT JOIN channel c ON c.id = p.channel_id
	LEFT JOIN channel o ON b.kind = 'insights' AND o.id = b.subject
ORDER BY b.id
