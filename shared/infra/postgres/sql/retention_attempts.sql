-- Deletes the attempts of published posts that have not changed for long, in one page of a walk over all posts with an
-- attempt. The attempts of FAILED posts stay: they decide whether the post may be sent again. It is one statement, as
-- retention_timelines.sql.
WITH page AS (
	SELECT post_id AS id FROM publish_attempt
	WHERE post_id > CAST(@after AS uuid) AND post_id < uuid_v7_at(now() - CAST(@age AS float8) * interval '1 second')
	ORDER BY post_id LIMIT CAST(@limit AS integer)
), ended AS (
	SELECT id FROM post
	WHERE id IN (SELECT id FROM page) AND (status = 'PUBLISHED' OR archived_from = 'PUBLISHED')
		AND updated_at < now() - CAST(@age AS float8) * interval '1 second'
	FOR NO KEY UPDATE SKIP LOCKED
), gone AS (
	DELETE FROM publish_attempt a USING ended WHERE a.post_id = ended.id RETURNING a.post_id
)
SELECT (SELECT count(*) FROM gone) AS deleted, (SELECT count(*) FROM page) AS walked,
	(SELECT id FROM page ORDER BY id DESC LIMIT 1) AS last
