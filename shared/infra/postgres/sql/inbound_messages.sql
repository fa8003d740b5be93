-- Stores a batch of messages, and counts them in their conversations. It is one statement, so that a message is counted if and only
-- if it is stored, and its files wait to be loaded. A message that is known is changed by a newer version of
-- its text only, with the files of that version; one that was deleted stays deleted. A version may come without its original, whose time is the earlier one, and
-- only originals count as what the person or the account said last. What the person writes anew opens the conversation.
WITH given AS (
	SELECT * FROM jsonb_to_recordset(CAST(@rows AS jsonb)) AS g(id uuid, conversation_id uuid, workspace_id uuid, channel_id uuid,
		direction text, external_id text, text text, reply_to text, unsupported text, sent_at timestamptz, edited_at timestamptz,
		version bigint, original boolean, said_at timestamptz, permalink text, rating smallint, person_id uuid, files jsonb)
), stored AS (
	INSERT INTO message AS m (id, conversation_id, workspace_id, channel_id, direction, external_id, text, reply_to, unsupported,
		sent_at, edited_at, version, permalink, rating, person_id)
	SELECT id, conversation_id, workspace_id, channel_id, direction, external_id, text, reply_to, unsupported, sent_at, edited_at,
		CASE WHEN edited_at IS NULL THEN 0 ELSE version END, permalink, rating, person_id
	FROM given ORDER BY channel_id, external_id
	ON CONFLICT (channel_id, external_id) DO UPDATE
		SET (text, unsupported, rating, edited_at, version) = (
				SELECT n.text, n.unsupported, n.rating, n.edited_at, n.version
				FROM (VALUES (excluded.text, excluded.unsupported, excluded.rating, excluded.edited_at, excluded.version, true),
					(m.text, m.unsupported, m.rating, m.edited_at, m.version, false)) AS n(text, unsupported, rating, edited_at, version, newer)
				WHERE n.newer = (m.deleted_at IS NULL AND excluded.edited_at IS NOT NULL
					AND (m.edited_at IS NULL OR (excluded.edited_at, excluded.version) > (m.edited_at, m.version)))),
			sent_at = LEAST(m.sent_at, excluded.sent_at)
		WHERE excluded.sent_at < m.sent_at OR m.deleted_at IS NULL AND excluded.edited_at IS NOT NULL
			AND (m.edited_at IS NULL OR (excluded.edited_at, excluded.version) > (m.edited_at, m.version))
	RETURNING id, channel_id, external_id, conversation_id, direction, edited_at, version, deleted_at, xmax = 0 AS fresh
), shown AS (
	SELECT s.id, g.files FROM stored s JOIN given g USING (channel_id, external_id)
	WHERE s.deleted_at IS NULL AND s.edited_at IS NOT DISTINCT FROM g.edited_at AND (g.edited_at IS NULL OR s.version = g.version)
), unshown AS (
	DELETE FROM message_file f USING shown s WHERE f.message_id = s.id AND f.n > jsonb_array_length(s.files)
), filed AS (
	INSERT INTO message_file AS f (message_id, n, network_ref, name, type, size, state)
	SELECT s.id, g.n, g.ref, g.name, g.type, g.size, 'WAITING'
	FROM shown s, jsonb_to_recordset(s.files) AS g(n integer, ref text, name text, type text, size bigint)
	ON CONFLICT (message_id, n) DO UPDATE SET network_ref = excluded.network_ref, name = excluded.name, type = excluded.type,
		size = excluded.size, state = 'WAITING', fault = '', tries = 0, next_at = now(), since = now(), object_key = NULL,
		thumb_key = NULL, width = 0, height = 0
	WHERE f.network_ref <> excluded.network_ref
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
