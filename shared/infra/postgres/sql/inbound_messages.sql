-- Stores a batch of messages, and counts them in their conversations. A message that is known is changed by a newer version of
-- its text only; one that was deleted stays deleted. What the person writes anew opens the conversation.
WITH given AS (
	SELECT * FROM jsonb_to_recordset(CAST(@rows AS jsonb)) AS g(id uuid, conversation_id uuid, workspace_id uuid, channel_id uuid,
		direction text, external_id text, text text, reply_to text, unsupported text, sent_at timestamptz, edited_at timestamptz,
		version bigint)
), stored AS (
	INSERT INTO message AS m (id, conversation_id, workspace_id, channel_id, direction, external_id, text, reply_to, unsupported,
		sent_at, edited_at, version)
	SELECT id, conversation_id, workspace_id, channel_id, direction, external_id, text, reply_to, unsupported, sent_at, edited_at,
		CASE WHEN edited_at IS NULL THEN 0 ELSE version END
	FROM given ORDER BY channel_id, external_id
	ON CONFLICT (channel_id, external_id) DO UPDATE
		SET text = excluded.text, unsupported = excluded.unsupported, edited_at = excluded.edited_at, version = excluded.version
		WHERE m.deleted_at IS NULL AND excluded.edited_at IS NOT NULL
			AND (m.edited_at IS NULL OR (excluded.edited_at, excluded.version) > (m.edited_at, m.version))
	RETURNING conversation_id, direction, sent_at, xmax = 0 AS fresh
), counted AS (
	SELECT conversation_id, max(sent_at) AS last_at, max(sent_at) FILTER (WHERE direction = 'IN') AS last_in,
		max(sent_at) FILTER (WHERE direction = 'OUT') AS last_out, bool_or(fresh AND direction = 'IN') AS asks
	FROM stored GROUP BY conversation_id
)
UPDATE conversation c SET
	last_at = GREATEST(c.last_at, k.last_at), last_in_at = GREATEST(c.last_in_at, k.last_in),
	last_out_at = GREATEST(c.last_out_at, k.last_out),
	state = CASE WHEN k.asks AND c.state IN ('CLOSED', 'SNOOZED') THEN 'OPEN' ELSE c.state END,
	snoozed_until = CASE WHEN k.asks THEN NULL ELSE c.snoozed_until END
FROM counted k WHERE c.id = k.conversation_id
RETURNING c.id
