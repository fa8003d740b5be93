-- Knows the people of a batch of messages. It is one statement for the whole batch, because a burst has thousands of messages, and
-- writes the rows in one order, so that two batches wait for each other instead of blocking each other. A person who is known keeps
-- the row; what the network said last about the name counts.
INSERT INTO person_identity AS i (workspace_id, network, value, person_id, name, username, seen_at)
SELECT g.workspace_id, g.network, g.value, g.person_id, g.name, g.username, g.seen_at
FROM jsonb_to_recordset(CAST(@rows AS jsonb))
	AS g(workspace_id uuid, network text, value text, person_id uuid, name text, username text, seen_at timestamptz)
ORDER BY g.workspace_id, g.network, g.value
ON CONFLICT (workspace_id, network, value) DO UPDATE SET
	name = CASE WHEN (excluded.seen_at, excluded.name) > (i.seen_at, i.name) THEN excluded.name ELSE i.name END,
	username = CASE WHEN (excluded.seen_at, excluded.name) > (i.seen_at, i.name) THEN excluded.username ELSE i.username END,
	seen_at = GREATEST(i.seen_at, excluded.seen_at)
RETURNING workspace_id, network, value, person_id
