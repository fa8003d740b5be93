-- Ends post_change.sql, post_edit.sql and post_delete.sql: deletes the parts of a post that is deleted, or that its network removed, and
-- those that a person gives up, and ends their workflows. Foreign keys delete the timelines and attempts.
, dropped AS (
	DELETE FROM post d USING changed WHERE d.root_id = changed.id AND d.part_index >= CAST(@drops_from AS integer)
	RETURNING d.id, d.workspace_id, d.revision, d.status
), ended AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload, trace)
	SELECT 'post', id, workspace_id, jsonb_build_object('revision', revision + 1, 'status', 'DRAFT'), CAST(@trace AS text)
	FROM dropped WHERE status = 'SCHEDULED'
)
