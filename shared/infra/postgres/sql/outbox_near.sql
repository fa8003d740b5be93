-- Enqueues posts that came within the horizon, the earliest first. It is one statement, so that the mark and the message
-- change together, whatever crashes.
WITH near AS (
	UPDATE post SET beyond_horizon = false WHERE id IN (
		SELECT id FROM post
		WHERE beyond_horizon AND scheduled_at <= now() + CAST(@horizon AS float8) * interval '1 second'
		ORDER BY scheduled_at LIMIT CAST(@limit AS bigint) FOR UPDATE SKIP LOCKED)
	RETURNING id, workspace_id, revision, status, scheduled_at
)
INSERT INTO outbox (kind, subject, workspace_id, payload, lane, due_at)
SELECT 'post', id, workspace_id,
	jsonb_build_object('revision', revision, 'status', status, 'scheduledAt', scheduled_at), 1, scheduled_at
FROM near
