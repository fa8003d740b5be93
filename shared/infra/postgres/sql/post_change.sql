-- Applies a decided change to a post that is unchanged since the decision, and records the result of an attempt. The
-- states of the attempt come from the table in the domain. The attempt is updated even if the post has changed,
-- because the response of a network is never discarded. It is one statement, so that the response of a network and
-- its effects are written in one round trip, and the fence is read in the snapshot in which it is changed.
WITH changed AS (
	UPDATE post SET status = @status, scheduled_at = @scheduled_at, published_at = @published_at, updated_at = @updated_at,
		revision = @revision, publishing_since = @publishing_since, waiting_reason = @waiting_reason,
		waiting_until = @waiting_until, waiting_try = @waiting_try, waiting_deadline = @waiting_deadline,
		overrides_pause = @overrides_pause, confirmed = @confirmed, post_url = @post_url, error_code = @error_code, error_message = @error_message,
		error_retryable = @error_retryable, approval_status = @approval_status, approval_comment = @approval_comment,
		beyond_horizon = @status = 'SCHEDULED'
			AND CAST(@scheduled_at AS timestamptz) > now() + CAST(@horizon AS float8) * interval '1 second',
		approval_decided_at = @approval_decided_at, archived_from = @archived_from,
		content = COALESCE(CAST(@text AS text), content), parts = COALESCE(CAST(@resolved AS jsonb), parts),
		parts_state = COALESCE(CAST(@parts_state AS text), parts_state),
		consents = CASE WHEN CAST(@consented AS boolean) THEN CAST(@consents AS jsonb) ELSE consents END,
		writers = CASE WHEN CAST(@consented AS boolean) THEN CAST(@writers AS uuid[]) ELSE writers END,
		approved = CASE WHEN CAST(@approves AS boolean) THEN jsonb_build_object('content', content, 'title', title,
			'contentType', content_type, 'mediaIds', media_ids, 'altTexts', media_alt_texts, 'options', options, 'parts', parts,
			'scheduledAt', scheduled_at, 'at', CAST(@updated_at AS timestamptz), 'by', CAST(@approver AS text)) ELSE approved END
	WHERE id = @id AND workspace_id = @workspace_id AND status = @from_status AND revision = @from_revision
		AND (publishing_since IS NULL OR CAST(@claimed AS boolean))
		-- The content may have been edited back meanwhile, and another execution may use its preparation. An approval is of
		-- the content that was read.
		AND (NOT CAST(@unedited AS boolean) OR updated_at = @from_updated_at)
		-- The claim is not given up while another attempt is in the fence. The states are those of its index.
		AND NOT (CAST(@gives_up AS boolean)
			AND EXISTS (SELECT 1 FROM publish_attempt f WHERE f.post_id = @id AND f.state IN ('SENT', 'UNKNOWN', 'CONFIRMED')
				AND NOT (f.n = @attempt AND (CAST(@anybody AS boolean) OR f.owner = CAST(@attempt_owner AS uuid)))))
	RETURNING id, workspace_id
), attempt AS (
	UPDATE publish_attempt SET state = CAST(@attempt_state AS text), finished_at = now(), external_id = @external_id,
		external_parts = COALESCE(NULLIF(CAST(@external_parts AS text[]), CAST(ARRAY[] AS text[])), external_parts),
		post_url = @attempt_url, failure_class = @failure_class, failure_code = @failure_code,
		failure_message = @failure_message, reconciled = reconciled + CAST(@reconciled AS integer),
		discard_after = CASE WHEN CAST(@leaves AS boolean)
			THEN now() + CAST(@discard_lease AS float8) * interval '1 second' END
	WHERE post_id = @id AND (
		n = @attempt AND (state = ANY(CAST(@by_anyone AS text[]))
			OR state = ANY(CAST(@by_owner AS text[]))
				AND (CAST(@anybody AS boolean) OR owner = CAST(@attempt_owner AS uuid))
			OR state = ANY(CAST(@by_post AS text[])) AND EXISTS (SELECT 1 FROM changed))
		-- A post that was taken to be absent was found: the attempt in the fence has it, or else the attempt itself.
		OR EXISTS (SELECT 1 FROM publish_attempt r
				WHERE r.post_id = @id AND r.n = @attempt AND r.state = ANY(CAST(@by_fence AS text[])))
			AND (state IN ('SENT', 'UNKNOWN') OR n = @attempt AND NOT EXISTS (SELECT 1 FROM publish_attempt f
				WHERE f.post_id = @id AND f.state IN ('SENT', 'UNKNOWN', 'CONFIRMED'))))
)
