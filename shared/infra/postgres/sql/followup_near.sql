-- Enqueues follow-ups of leads that came within the horizon, the earliest first. It is one statement, so that the mark and the message
-- change together, whatever crashes.
WITH near AS (
	UPDATE lead SET follow_up_beyond = false WHERE id IN (
		SELECT id FROM lead
		WHERE follow_up_beyond AND follow_up_at IS NOT NULL AND stage NOT IN ('WON', 'LOST') AND follow_up_at IS DISTINCT FROM reminded_at
			AND follow_up_at <= now() + CAST(@horizon AS float8) * interval '1 second'
		ORDER BY follow_up_at LIMIT CAST(@limit AS bigint) FOR UPDATE SKIP LOCKED)
	RETURNING id, workspace_id, revision, follow_up_at
)
INSERT INTO outbox (kind, subject, workspace_id, payload, lane, due_at)
SELECT 'followup', id, workspace_id,
	jsonb_build_object('leadId', id, 'workspaceId', workspace_id, 'revision', revision, 'at', follow_up_at), 1, follow_up_at
FROM near
