-- Reads everything that a publishing activity needs about the post in p. It is one statement with post_claim.sql.
SELECT
	p.id AS post_id, p.workspace_id AS post_workspace_id, p.channel_id AS post_channel_id,
	p.content AS post_content, p.title AS post_title, p.content_type AS post_content_type,
	p.media_ids AS post_media_ids, p.status AS post_status, p.scheduled_at AS post_scheduled_at,
	p.published_at AS post_published_at, p.created_at AS post_created_at, p.updated_at AS post_updated_at,
	p.revision AS post_revision, p.publishing_since AS post_publishing_since,
	p.waiting_reason AS post_waiting_reason, p.waiting_until AS post_waiting_until,
	p.waiting_try AS post_waiting_try, p.waiting_deadline AS post_waiting_deadline,
	p.overrides_pause AS post_overrides_pause, p.confirmed AS post_confirmed,
	p.post_url AS post_post_url, p.error_code AS post_error_code, p.error_message AS post_error_message,
	p.error_retryable AS post_error_retryable, p.approval_status AS post_approval_status,
	p.approval_comment AS post_approval_comment, p.approval_decided_at AS post_approval_decided_at,
	p.options AS post_options, p.archived_from AS post_archived_from,
	p.media_alt_texts AS post_media_alt_texts, c.type AS post_channel_type, p.group_id AS post_group_id,
	p.own_members AS post_own_members, p.labels AS post_labels, p.external_id AS post_external_id,
	p.metadata AS post_metadata, p.after_id AS post_after_id, p.after_delay AS post_after_delay,
	p.after_failure AS post_after_failure, p.parts AS post_parts, p.parts_state AS post_parts_state,
	p.root_id AS post_root_id, p.part_index AS post_part_index, p.part_kind AS post_part_kind, b.status AS before_status, b.published_at AS before_published_at, b.post_url AS before_post_url,
	p.consents AS post_consents, p.writers AS post_writers,
	GREATEST(c.approval_policy, w.approval_policy) AS post_policy,
	c.id AS channel_id, c.workspace_id AS channel_workspace_id, c.name AS channel_name, c.type AS channel_type,
	c.username AS channel_username, c.avatar_url AS channel_avatar_url, c.external_id AS channel_external_id,
	c.is_connected AS channel_is_connected, c.token_status AS channel_token_status,
	c.is_queue_paused AS channel_is_queue_paused, w.publishing_stopped_at IS NOT NULL AS channel_publishing_stopped,
	c.timezone AS channel_timezone, c.is_test AS channel_is_test,
	c.credentials AS channel_credentials, c.credentials_rev AS channel_credentials_rev,
	c.created_at AS channel_created_at,
	a.n AS attempt_n, a.revision AS attempt_revision, a.state AS attempt_state, a.handle AS attempt_handle,
	a.marker AS attempt_marker, a.started_at AS attempt_started_at, a.sent_at AS attempt_sent_at,
	a.finished_at AS attempt_finished_at, a.external_id AS attempt_external_id, a.post_url AS attempt_post_url,
	a.failure_class AS attempt_failure_class, a.failure_code AS attempt_failure_code,
	a.failure_message AS attempt_failure_message, a.reconciled AS attempt_reconciled,
	-- After a wait for the quota of the next day, the attempts count anew.
	(SELECT CASE WHEN count(*) > 0 THEN COALESCE(min(f.started_at) FILTER (WHERE f.n > (
			SELECT COALESCE(max(q.n), 0) FROM publish_attempt q
			WHERE q.post_id = p.id AND q.revision = p.revision AND q.failure_code = @daily_quota)), clock_timestamp()) END
		FROM publish_attempt f WHERE f.post_id = p.id AND f.revision = p.revision) AS first_try,
	(SELECT count(*) FROM publish_attempt f WHERE f.post_id = p.id AND f.revision = p.revision AND f.state = 'REJECTED'
		AND f.reconciled > 0) AS absences,
	-- The marker is that of recovery_fence.sql.
	COALESCE(a.failure_code = @restored AND a.marker
		<> 'restored:' || md5(CAST(ROW(p.content_type, p.title, p.content, p.options) AS text)), false) AS altered,
	EXISTS (SELECT 1 FROM channel_limit l WHERE l.channel_id = p.channel_id) AS limited,
	w.reconnect_hold_seconds AS reconnect_hold_seconds,
	clock_timestamp() AS db_now
FROM p JOIN channel c ON c.id = p.channel_id
LEFT JOIN workspace w ON w.id = p.workspace_id
LEFT JOIN post b ON b.id = p.after_id
LEFT JOIN LATERAL (SELECT * FROM publish_attempt WHERE post_id = p.id ORDER BY n DESC LIMIT 1) a ON true
