-- Deletes the timelines of ended posts that have not changed for long, in one page of a walk over all posts with a
-- timeline, in the order of their creation. It is one statement, so that a post that is changed meanwhile keeps its
-- timeline: its row is locked, and locked rows are left for the next walk.
WITH page AS (
	SELECT post_id AS id FROM post_timeline
	WHERE post_id > CAST(@after AS uuid) AND post_id < uuid_v7_at(now() - CAST(@age AS float8) * interval '1 second')
	ORDER BY post_id LIMIT CAST(@limit AS integer)
), ended AS (
	SELECT id FROM post
	WHERE id IN (SELECT id FROM page) AND status IN ('PUBLISHED', 'FAILED', 'ARCHIVED')
		AND updated_at < now() - CAST(@age AS float8) * interval '1 second'
	FOR NO KEY UPDATE SKIP LOCKED
), gone AS (
	DELETE FROM post_timeline t USING ended WHERE t.post_id = ended.id RETURNING t.post_id
)
SELECT (SELECT count(*) FROM gone) AS deleted, (SELECT count(*) FROM page) AS walked,
	(SELECT id FROM page ORDER BY id DESC LIMIT 1) AS last
