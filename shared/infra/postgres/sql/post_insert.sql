-- Ends the statements that create posts: writes posts with their events, timelines and outbox rows. It is one statement,
-- so that creating posts takes one round trip and one transaction. Foreign keys are checked at its end.
, p AS (
	INSERT INTO post (id, workspace_id, channel_id, author_id, content, title, content_type, media_ids, status, scheduled_at,
		published_at, created_at, updated_at, revision, publishing_since, waiting_reason, waiting_until, post_url,
		error_code, error_message, error_retryable, approval_status, approval_comment, approval_decided_at,
		options, archived_from, media_alt_texts, group_id, own_members, labels, label_keys, campaign_id, external_id, metadata, consents, writers,
		after_id, after_delay, after_failure, parts, parts_state, beyond_horizon)
	SELECT id, workspace_id, channel_id, author_id, content, title, content_type, media_ids, status, scheduled_at,
		published_at, created_at, updated_at, revision, publishing_since, waiting_reason, waiting_until, post_url,
		error_code, error_message, error_retryable, approval_status, approval_comment, approval_decided_at,
		options, archived_from, media_alt_texts, group_id, own_members, labels, label_keys, campaign_id, external_id, metadata, consents, writers,
		after_id, after_delay, after_failure, parts, parts_state, status = 'SCHEDULED' AND scheduled_at > now() + CAST(@horizon AS float8) * interval '1 second'
	FROM new_post
	RETURNING id, workspace_id, media_ids, parts, beyond_horizon
), r AS (
	INSERT INTO media_reference (media_id, workspace_id, owner_type, owner_id)
	SELECT m, p.workspace_id, 'POST', p.id FROM p, unnest(p.media_ids) AS m
	UNION SELECT CAST(m AS uuid), p.workspace_id, 'POST', p.id
	FROM p, jsonb_path_query(p.parts, '$.thread[*].mediaIds[*]') AS x, CAST(x #>> '{}' AS uuid) AS m
), e AS (
	INSERT INTO event (id, workspace_id, type, body, created_at, trace)
	SELECT id, workspace_id, type, body, created_at, CAST(@trace AS text) FROM new_event
	ORDER BY id -- IDs of one program ascend; the ordinals follow them
), t AS (
	INSERT INTO post_timeline (post_id, at, kind, actor, detail)
	SELECT post_id, at, kind, actor, detail FROM new_entry
), o AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload, lane, due_at, trace)
	-- A plan that is due later, or has no time, is patient: a bulk of plans for tomorrow delays no publication and no
	-- delivery. A workflow ignores plans older than its own, so messages may overtake each other.
	SELECT 'post', subject, workspace_id, payload, CAST(COALESCE(scheduled_at > now() + interval '2 minutes', true) AS integer),
		COALESCE(scheduled_at, now() + interval '5 minutes'), CAST(@trace AS text)
	FROM (
		SELECT subject, p.workspace_id, payload, CAST(payload ->> 'scheduledAt' AS timestamptz) AS scheduled_at
		FROM new_message JOIN p ON p.id = subject
		WHERE NOT p.beyond_horizon -- the sweep starts its workflow in time
	) x
)
SELECT count(*) FROM granted
