-- The rows of any posts, as JSON. Part of one statement; see post_insert.sql.
, new_post AS (
	SELECT x.* FROM granted, jsonb_populate_recordset(CAST(null AS post), CAST(@posts AS jsonb)) AS x
), l AS (
	INSERT INTO label (workspace_id, key, name, color)
	SELECT DISTINCT ON (x.workspace_id, x.key) x.workspace_id, x.key, x.name, x.color
	FROM granted, jsonb_to_recordset(CAST(@labels AS jsonb)) AS x(workspace_id uuid, key text, name text, color text)
	-- In an order, so that concurrent requests with the same new labels do not wait for each other in a circle.
	ORDER BY x.workspace_id, x.key
	ON CONFLICT DO NOTHING
), new_event AS (
	SELECT x.id, x.workspace_id, x.type, convert_to(x.body, 'UTF8') AS body, x.created_at
	FROM granted, jsonb_to_recordset(CAST(@events AS jsonb))
		AS x(id uuid, workspace_id uuid, type text, body text, created_at timestamptz)
), new_entry AS (
	SELECT x.* FROM granted, jsonb_to_recordset(CAST(@timeline AS jsonb))
		AS x(post_id uuid, at timestamptz, kind text, actor text, detail text)
), new_message AS (
	SELECT x.* FROM granted, jsonb_to_recordset(CAST(@wakes AS jsonb)) AS x(subject uuid, payload jsonb)
)
