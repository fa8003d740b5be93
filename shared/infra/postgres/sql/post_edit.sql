-- Applies a decided change that includes the content of a post. It is refused if the content was edited in the
-- meantime. It is one statement, so that a post, the assets that it uses and its event change together in one round
-- trip.
WITH changed AS (
	UPDATE post SET status = @status, scheduled_at = @scheduled_at, published_at = @published_at, updated_at = @updated_at,
		revision = @revision, publishing_since = @publishing_since, waiting_reason = @waiting_reason,
		waiting_until = @waiting_until, waiting_try = @waiting_try, waiting_deadline = @waiting_deadline,
		overrides_pause = @overrides_pause, confirmed = @confirmed, post_url = @post_url, error_code = @error_code, error_message = @error_message,
		error_retryable = @error_retryable, approval_status = @approval_status, approval_comment = @approval_comment,
		beyond_horizon = @status = 'SCHEDULED'
			AND CAST(@scheduled_at AS timestamptz) > now() + CAST(@horizon AS float8) * interval '1 second',
		approval_decided_at = @approval_decided_at, archived_from = @archived_from, content = @content, title = @title,
		content_type = @content_type, media_ids = CAST(@media_ids AS uuid[]), options = CAST(@options AS jsonb),
		media_alt_texts = CAST(@alt_texts AS jsonb), own_members = CAST(@own_members AS text[]),
		labels = CAST(@labels AS text[]), label_keys = CAST(@label_keys AS text[]), campaign_id = CAST(@campaign_id AS uuid), external_id = @external_id,
		metadata = CAST(@metadata AS jsonb), consents = CAST(@consents AS jsonb), writers = CAST(@writers AS uuid[]),
		after_id = CAST(@after_id AS uuid), after_delay = CAST(@after_delay AS integer), after_failure = CAST(@after_failure AS text),
		parts = CAST(@parts AS jsonb), parts_state = CAST(@parts_state AS text)
	WHERE id = @id AND workspace_id = @workspace_id AND status = @from_status AND revision = @from_revision
		AND publishing_since IS NULL AND updated_at = @from_updated_at
	RETURNING id, workspace_id
), unused AS (
	DELETE FROM media_reference r USING changed
	WHERE r.owner_type = 'POST' AND r.owner_id = changed.id AND NOT r.media_id = ANY(CAST(@attached AS uuid[]))
), used AS (
	INSERT INTO media_reference (media_id, workspace_id, owner_type, owner_id)
	SELECT DISTINCT m, changed.workspace_id, 'POST', changed.id FROM changed, unnest(CAST(@attached AS uuid[])) AS m
	ON CONFLICT DO NOTHING
), l AS (
	INSERT INTO label (workspace_id, key, name, color)
	SELECT x.workspace_id, x.key, x.name, x.color
	FROM changed, jsonb_to_recordset(CAST(@new_labels AS jsonb)) AS x(workspace_id uuid, key text, name text, color text)
	ORDER BY x.key -- as in post_rows_many.sql
	ON CONFLICT DO NOTHING
)
