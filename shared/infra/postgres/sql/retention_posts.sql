-- Deletes ended posts that have not changed for long, in one page of a walk over all posts. Foreign keys delete their
-- timelines, attempts, figures and parts. It is one statement, so that a post and its references to assets go together; see
-- also retention_timelines.sql.
WITH page AS (
	SELECT id FROM post
	WHERE id > CAST(@after AS uuid) AND id < uuid_v7_at(now() - CAST(@age AS float8) * interval '1 second')
	ORDER BY id LIMIT CAST(@limit AS integer)
), ended AS (
	SELECT id FROM post
	WHERE id IN (SELECT id FROM page) AND status IN ('PUBLISHED', 'FAILED', 'ARCHIVED') AND root_id IS NULL
		AND NOT EXISTS (SELECT FROM post part WHERE part.root_id = post.id AND part.status = 'SCHEDULED')
		AND updated_at < now() - CAST(@age AS float8) * interval '1 second'
	FOR UPDATE SKIP LOCKED
), unused AS (
	DELETE FROM media_reference r USING ended WHERE r.owner_type = 'POST' AND r.owner_id = ended.id
), gone AS (
	DELETE FROM post p USING ended WHERE p.id = ended.id RETURNING p.id
)
SELECT (SELECT count(*) FROM gone) AS deleted, (SELECT count(*) FROM page) AS walked,
	(SELECT id FROM page ORDER BY id DESC LIMIT 1) AS last
