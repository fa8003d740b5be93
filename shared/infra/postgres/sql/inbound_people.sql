-- Knows the people of a batch of messages. It is one statement for the whole batch, because a burst has thousands of messages, and
-- writes the rows in one order, so that two batches wait for each other instead of blocking each other. A person who is known keeps
-- the row; what the network said last about the name counts, and a message without names says nothing about them.
INSERT INTO person_identity AS i (workspace_id, network, value, person_id, origin, name, username, seen_at, named_at, phone)
SELECT g.workspace_id, g.network, g.value, g.person_id, g.person_id, g.name, g.username, g.seen_at,
	CASE WHEN g.name || g.username <> '' THEN g.seen_at END, g.phone
FROM jsonb_to_recordset(CAST(@rows AS jsonb))
	AS g(workspace_id uuid, network text, value text, person_id uuid, name text, username text, seen_at timestamptz,
		phone text)
ORDER BY g.workspace_id, g.network, g.value
ON CONFLICT (workspace_id, network, value) DO UPDATE SET
	(name, username, named_at) = (SELECT n.name, n.username, n.named_at
		FROM (VALUES (excluded.name, excluded.username, excluded.named_at), (i.name, i.username, COALESCE(i.named_at, i.seen_at)))
			AS n(name, username, named_at)
		ORDER BY n.name || n.username = '', n.named_at DESC NULLS LAST, n.name DESC, n.username DESC LIMIT 1),
	seen_at = GREATEST(i.seen_at, excluded.seen_at),
	phone = CASE WHEN excluded.phone = '' THEN i.phone ELSE excluded.phone END
RETURNING workspace_id, network, value, person_id AS known_person, COALESCE(origin, person_id) AS known_origin
