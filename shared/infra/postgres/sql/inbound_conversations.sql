-- Opens the conversations of a batch of messages, and locks those that exist, in one order. It is one statement for the whole
-- batch, because a burst has thousands of messages.
INSERT INTO conversation AS c (id, workspace_id, channel_id, kind, thread, post, person_id, origin, state, last_at)
SELECT g.id, g.workspace_id, g.channel_id, g.kind, g.thread, g.post, g.person_id, g.origin, 'OPEN', g.last_at
FROM jsonb_to_recordset(CAST(@rows AS jsonb)) AS g(id uuid, workspace_id uuid, channel_id uuid, kind text, thread text, post text,
	person_id uuid, origin uuid, last_at timestamptz)
ORDER BY g.channel_id, g.kind, g.thread
ON CONFLICT (channel_id, kind, thread) DO UPDATE SET post = GREATEST(c.post, excluded.post) -- also returns and locks the row
RETURNING id, channel_id, kind, thread
