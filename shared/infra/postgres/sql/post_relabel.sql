-- Replaces labels of posts that the transaction has locked, with their events and timelines. It is one statement, so that
-- a change of hundreds of posts takes one round trip.
WITH changed AS (
	UPDATE post SET labels = x.labels, label_keys = x.label_keys, updated_at = x.updated_at
	FROM jsonb_to_recordset(CAST(@posts AS jsonb)) AS x(id uuid, labels text[], label_keys text[], updated_at timestamptz)
	WHERE post.id = x.id AND post.workspace_id = @workspace
	RETURNING post.id
), e AS (
	INSERT INTO event (id, workspace_id, type, body, created_at, trace)
	SELECT x.id, x.workspace_id, x.type, convert_to(x.body, 'UTF8'), x.created_at, CAST(@trace AS text)
	FROM jsonb_to_recordset(CAST(@events AS jsonb)) AS x(id uuid, workspace_id uuid, type text, body text, created_at timestamptz)
), t AS (
	INSERT INTO post_timeline (post_id, at, kind, actor, detail)
	SELECT x.post_id, x.at, x.kind, x.actor, x.detail
	FROM jsonb_to_recordset(CAST(@timeline AS jsonb)) AS x(post_id uuid, at timestamptz, kind text, actor text, detail text)
)
SELECT count(*) FROM changed
