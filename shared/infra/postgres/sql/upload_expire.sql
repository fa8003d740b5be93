-- Deletes uploads that were not completed in time, and releases their storage. It is one statement, so that the
-- storage of a whole batch is released in one round trip, once for each workspace.
WITH gone AS (
	DELETE FROM media_upload WHERE ctid = ANY(ARRAY(SELECT ctid FROM media_upload
		WHERE expires_at < now() - CAST(@grace AS float8) * interval '1 second'
		ORDER BY expires_at LIMIT @limit FOR UPDATE SKIP LOCKED))
	RETURNING workspace_id, size
), sums AS (
	SELECT workspace_id, sum(size) AS size, count(*) AS n FROM gone GROUP BY workspace_id
), released AS (
	UPDATE workspace_usage u SET storage_bytes = GREATEST(u.storage_bytes - s.size, 0)
	FROM sums s WHERE u.workspace_id = s.workspace_id
) SELECT COALESCE(sum(n), 0) FROM sums
