-- Deletes a post that is unchanged since the decision, and writes its event and, for its workflow, the outbox row.
-- The timeline and the attempts are deleted by foreign keys. It is one statement, so that a claim at the due time
-- sees the post either with all of its rows or not at all.
WITH changed AS (
	DELETE FROM post WHERE id = @id AND workspace_id = @workspace_id AND status = @from_status
		AND revision = @from_revision AND publishing_since IS NULL
	RETURNING id, workspace_id
), unused AS (
	DELETE FROM media_reference r USING changed WHERE r.owner_type = 'POST' AND r.owner_id = changed.id
), e AS (
	INSERT INTO event (id, workspace_id, type, body, created_at, trace) -- as in post_effects.sql
	SELECT x.id, workspace_id, x.type, convert_to(x.body, 'UTF8'), CAST(@updated_at AS timestamptz), CAST(@trace AS text)
	FROM changed, unnest(CAST(@event_ids AS uuid[]), CAST(@event_types AS text[]), CAST(@event_bodies AS text[]))
		AS x(id, type, body)
	ORDER BY x.id
), o AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload, trace)
	SELECT 'post', id, workspace_id, CAST(@plan AS jsonb), CAST(@trace AS text) FROM changed WHERE CAST(@wake AS boolean)
)
