-- Extends the search for attempts that were open at the time of the backup to the whole gap, and drops their prepared
-- handles. Markers of an earlier recovery stay unchanged. It is one statement, because it changes every open attempt.
UPDATE publish_attempt a SET state = CAST(@unknown AS text), handle = '', finished_at = now(),
	failure_class = 'unknown', failure_code = @code, failure_message = @message,
	-- The marker is that of recovery_fence.sql.
	marker = CASE WHEN failure_code = @code THEN marker
		ELSE 'restored:' || md5(CAST(ROW(p.content_type, p.title, p.content, p.options) AS text)) END
FROM post p WHERE p.id = a.post_id AND p.status = 'SCHEDULED' AND a.state = ANY(CAST(@open AS text[]))
