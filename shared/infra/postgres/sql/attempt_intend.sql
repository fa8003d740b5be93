-- Records that the irrevocable call is about to be made, if the post is still claimed in this revision. The index of
-- the fence rejects it while another attempt may have published the post. It is one statement, so that the lock on
-- the post and the row of the attempt cannot be separated, and the call waits for one round trip only. A pause that is
-- committed before it keeps the post back, and so does an approval policy that asks for more people than have approved exactly
-- this content: 2 asks for one. A part was approved with its post.
INSERT INTO publish_attempt (post_id, n, revision, channel_id, state, handle, marker, owner, started_at, sent_at)
SELECT id, CAST(@n AS integer), revision, channel_id, CAST(@sent AS text), CAST(@handle AS text), CAST(@marker AS text),
	CAST(@owner AS uuid), now(), now()
FROM post WHERE id = @post AND status = 'SCHEDULED' AND revision = @revision AND publishing_since IS NOT NULL
	AND (overrides_pause OR NOT EXISTS (SELECT FROM channel c JOIN workspace w ON w.id = c.workspace_id
		WHERE c.id = post.channel_id AND (c.is_queue_paused OR w.publishing_stopped_at IS NOT NULL)))
	AND (root_id IS NOT NULL OR (SELECT count(*) FROM jsonb_array_elements(consents) AS agreed WHERE agreed ->> 'of' = CAST(@content AS text)) >= (SELECT GREATEST(c.approval_policy, w.approval_policy, 1) - 1
		FROM channel c JOIN workspace w ON w.id = c.workspace_id WHERE c.id = post.channel_id))
FOR NO KEY UPDATE
ON CONFLICT (post_id, n) DO UPDATE SET state = excluded.state, sent_at = now(), owner = excluded.owner
	WHERE publish_attempt.state = ANY(CAST(@before AS text[])) AND publish_attempt.handle = excluded.handle
