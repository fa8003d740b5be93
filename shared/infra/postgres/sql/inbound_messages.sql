-- Stores a batch of messages, and counts them in their conversations. It is one statement, so that a message is counted if and only
-- if it is stored. A message that is known is changed by a newer version of
-- its text only; one that was deleted stays deleted. A version may come without its original, whose time is the earlier one, and
-- only originals count as what the person or the account said last. What the person writes anew opens the conversation.
WITH given AS (
	SELECT * FROM jsonb_to_recordset(CAST(@rows AS jsonb)) AS g(id uuid, conversation_id uuid, workspace_id uuid, channel_id uuid,
		direction text, external_id text, text text, reply_to text, unsupported text, sent_at timestamptz, edited_at timestamptz,
		version bigint, original boolean, said_at timestamptz)
), stored AS (
	INSERT INTO message AS m (id, conversation_id, workspace_id, channel_id, direction, external_id, text, reply_to, unsupported,
		sent_at, edited_at, version)
	SELECT id, conversation_id, workspace_id, channel_id, direction, external_id, text, reply_to, unsupported, sent_at, edited_at,
		CASE WHEN edited_at IS NULL THEN 0 ELSE version END
	FROM given ORDER BY channel_id, external_id
	ON CONFLICT (channel_id, external_id) DO UPDATE
		SET (text, unsupported, edited_at, version) = (
				SELECT n.text, n.unsupported, n.edited_at, n.version
				FROM (VALUES (excluded.text, excluded.unsupported, excluded.edited_at, excluded.version, true),
					(m.text, m.unsupported, m.edited_at, m.version, false)) AS n(text, unsupported, edited_at, version, newer)
				WHERE n.newer = (m.deleted_at IS NULL AND excluded.edited_at IS NOT NULL
					AND (m.edited_at IS NULL OR (excluded.edited_at, excluded.version) > (m.edited_at, m.version)))),
			sent_at = LEAST(m.sent_at, excluded.sent_at)
		WHERE excluded.sent_at < m.sent_at OR m.deleted_at IS NULL AND excluded.edited_at IS NOT NULL
			AND (m.edited_at IS NULL OR (excluded.edited_at, excluded.version) > (m.edited_at, m.version))
	RETURNING conversation_id, direction, xmax = 0 AS fresh
), counted AS (
	SELECT g.conversation_id, max(g.said_at) FILTER (WHERE g.original AND g.direction = 'IN') AS last_in,
		max(g.said_at) FILTER (WHERE g.original AND g.direction = 'OUT') AS last_out,
		EXISTS (SELECT FROM stored s WHERE s.conversation_id = g.conversation_id AND s.fresh AND s.direction = 'IN') AS asks
	FROM given g GROUP BY g.conversation_id
)
UPDATE conversation c SET
	last_in_at = GREATEST(c.last_in_at, k.last_in), last_out_at = GREATEST(c.last_out_at, k.last_out),
	state = CASE WHEN k.asks AND c.state IN ('CLOSED', 'SNOOZED') THEN 'OPEN' ELSE c.state END,
	snoozed_until = CASE WHEN k.asks THEN NULL ELSE c.snoozed_until END
FROM counted k WHERE c.id = k.conversation_id
RETURNING c.id
