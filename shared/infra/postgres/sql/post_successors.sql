-- Ends post_change.sql, post_edit.sql and post_delete.sql: gives new plans to the posts that wait for a post that was published,
-- failed or was deleted. The rows of all are locked, because one may begin to wait meanwhile, in a transaction that has locked this
-- post (post_hold.go).
, successor AS (
	UPDATE post s SET
		revision = s.revision + CAST(s.waiting_reason IS NOT DISTINCT FROM 'after_post' AND s.publishing_since IS NULL AS integer),
		waiting_until = CASE WHEN s.waiting_reason IS NOT DISTINCT FROM 'after_post' AND s.publishing_since IS NULL
			THEN CAST(@updated_at AS timestamptz) ELSE s.waiting_until END
	FROM changed WHERE s.after_id = changed.id AND s.status = 'SCHEDULED' AND s.scheduled_at <= now() AND CAST(@concludes AS boolean)
		AND s.root_id IS DISTINCT FROM changed.id
	RETURNING s.id, s.workspace_id, s.revision, s.scheduled_at,
		s.waiting_reason IS NOT DISTINCT FROM 'after_post' AND s.publishing_since IS NULL AS waits
), so AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload, lane, due_at, trace)
	SELECT 'post', id, workspace_id, jsonb_build_object('revision', revision, 'status', 'SCHEDULED', 'scheduledAt', scheduled_at,
		'signal', 'resumed'), 0, now(), CAST(@trace AS text)
	FROM successor WHERE waits
)
SELECT count(*) FROM changed
