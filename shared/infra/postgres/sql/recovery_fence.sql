-- Creates the fence: an attempt of unknown outcome for each open post without one. Posts on networks that cannot be
-- queried are held only if they may have been published: those that were due, and those that Temporal knows to be
-- published. The marker identifies the content of the post for the search on its network. It is one statement,
-- because it decides about every open post.
INSERT INTO publish_attempt (post_id, n, revision, channel_id, state, marker, owner, started_at, sent_at, finished_at,
	failure_class, failure_code, failure_message)
SELECT p.id, COALESCE((SELECT max(n) FROM publish_attempt WHERE post_id = p.id), 0) + 1, p.revision, p.channel_id,
	CAST(@unknown AS text), 'restored:' || md5(CAST(ROW(p.content_type, p.title, p.content, p.options) AS text)),
	gen_random_uuid(), CAST(@since AS timestamptz), CAST(@since AS timestamptz), now(), 'unknown', CAST(@code AS text),
	CAST(@message AS text)
FROM post p JOIN channel c ON c.id = p.channel_id
WHERE p.status IN ('DRAFT', 'PENDING_APPROVAL', 'SCHEDULED')
	AND NOT EXISTS (SELECT 1 FROM publish_attempt f WHERE f.post_id = p.id AND f.state IN ('SENT', 'UNKNOWN', 'CONFIRMED'))
	AND (c.type = ANY(CAST(@askable AS text[])) OR p.status = 'SCHEDULED' AND p.scheduled_at <= now()
		OR p.id = ANY(CAST(@published AS uuid[])))
