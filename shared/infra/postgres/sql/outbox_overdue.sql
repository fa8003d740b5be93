-- Enqueues the objects that show no activity although they are overdue, up to a limit of each kind. It is one
-- statement, so that a round of the sweep reads one snapshot, and marks and enqueues each object together. Most of
-- them have a workflow that is behind, so that posts and deliveries go into the patient lane.
-- outbox_all.sql has the same parts, each for every object.
WITH found AS (
	UPDATE post SET swept_at = now() WHERE id IN (
		SELECT id FROM post
		WHERE status = 'SCHEDULED' AND scheduled_at < now() - CAST(@grace AS float8) * interval '1 second'
			AND updated_at < now() - CAST(@grace AS float8) * interval '1 second'
			AND COALESCE(waiting_until, '-infinity') < now() - CAST(@grace AS float8) * interval '1 second'
			-- A post that waits for a person to resume its channel, or for another post, is late by intent.
			AND NOT (waiting_until IS NULL AND publishing_since IS NULL
				AND COALESCE(waiting_reason, '') IN ('channel_paused', 'after_post'))
			AND COALESCE(publishing_since, '-infinity') < now() - 4 * CAST(@grace AS float8) * interval '1 second'
			AND COALESCE(swept_at, '-infinity') < now() - 4 * CAST(@grace AS float8) * interval '1 second'
			AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind IN ('post', 'restart') AND o.subject = post.id)
		LIMIT CAST(@limit AS bigint) FOR UPDATE SKIP LOCKED)
	RETURNING id, workspace_id, revision, status, scheduled_at
), p AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload, lane, due_at)
	SELECT 'restart', id, workspace_id,
		jsonb_strip_nulls(jsonb_build_object('revision', revision, 'status', status, 'scheduledAt', scheduled_at)),
		1, scheduled_at
	FROM found RETURNING 1
), late AS (
	UPDATE delivery SET next_attempt_at = greatest(next_attempt_at, now()) WHERE id IN (
		SELECT id FROM delivery WHERE state = 'PENDING' AND lane IS NULL
			AND next_attempt_at < now() - 4 * CAST(@grace AS float8) * interval '1 second'
			AND NOT EXISTS (SELECT FROM webhook_place p
				WHERE p.webhook_id = delivery.webhook_id AND p.held_by = delivery.id AND p.held_until > now())
			AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'delivery' AND o.subject = delivery.id)
		LIMIT CAST(@limit AS bigint) FOR UPDATE SKIP LOCKED)
	RETURNING id, workspace_id, webhook_id, run
), d AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload, lane)
	SELECT 'delivery', id, workspace_id,
		jsonb_build_object('deliveryId', id, 'workspaceId', workspace_id, 'webhookId', webhook_id, 'run', run), 1
	FROM late RETURNING 1
), unheard AS (
	UPDATE redelivery SET heard_at = now() WHERE id IN (
		SELECT id FROM redelivery WHERE state = 'PENDING'
			AND heard_at < now() - 4 * CAST(@grace AS float8) * interval '1 second'
			AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'redelivery' AND o.subject = redelivery.id)
		LIMIT CAST(@limit AS bigint) FOR UPDATE SKIP LOCKED)
	RETURNING id, delivery_id, workspace_id, webhook_id
), r AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload)
	SELECT 'redelivery', id, workspace_id, jsonb_build_object('deliveryId', delivery_id, 'workspaceId', workspace_id,
		'webhookId', webhook_id, 'redeliveryId', id)
	FROM unheard RETURNING 1
), halted AS (
	UPDATE webhook_replay SET heard_at = now() WHERE id IN (
		SELECT id FROM webhook_replay WHERE state = 'RUNNING'
			AND heard_at < now() - 4 * CAST(@grace AS float8) * interval '1 second'
			AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'replay' AND o.subject = webhook_replay.id)
		LIMIT CAST(@limit AS bigint) FOR UPDATE SKIP LOCKED)
	RETURNING id, workspace_id, webhook_id
), l AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload)
	SELECT 'replay', id, workspace_id, jsonb_build_object('replayId', id, 'workspaceId', workspace_id, 'webhookId', webhook_id)
	FROM halted RETURNING 1
), i AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload)
	SELECT 'import', id, workspace_id, jsonb_build_object('mediaId', id, 'workspaceId', workspace_id)
	FROM media_import WHERE state = 'RUNNING' AND deadline < now() - CAST(@grace AS float8) * interval '1 second'
		AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'import' AND o.subject = media_import.id)
	LIMIT CAST(@limit AS bigint) RETURNING 1
), again AS (
	UPDATE media SET process_again = now() + interval '10 minutes' WHERE id IN (
		SELECT id FROM media WHERE process_again < now()
			AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'media' AND o.subject = media.id)
		LIMIT CAST(@limit AS bigint))
	RETURNING id, workspace_id
), m AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload)
	SELECT 'media', id, workspace_id, jsonb_build_object('mediaId', id, 'workspaceId', workspace_id) FROM again RETURNING 1
), silent AS (
	UPDATE mail SET next_at = now() WHERE id IN (
		SELECT id FROM mail WHERE next_at < now() - 4 * CAST(@grace AS float8) * interval '1 second'
			AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'mail' AND o.subject = mail.id)
		LIMIT CAST(@limit AS bigint) FOR UPDATE SKIP LOCKED)
	RETURNING id, workspace_id, kind, NULLIF(way, 'MAIL') AS way
), a AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload)
	SELECT 'mail', id, COALESCE(workspace_id, '00000000-0000-0000-0000-000000000000'),
		jsonb_strip_nulls(jsonb_build_object('mailId', id, 'workspaceId', workspace_id, 'kind', kind, 'way', way))
	FROM silent RETURNING 1
), unsaid AS (
	UPDATE message SET heard_at = now() WHERE id IN (
		SELECT id FROM message WHERE state = 'QUEUED' AND heard_at < now() - 4 * CAST(@grace AS float8) * interval '1 second'
			AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'reply' AND o.subject = message.id)
		LIMIT CAST(@limit AS bigint) FOR UPDATE SKIP LOCKED)
	RETURNING id, workspace_id, channel_id
), n AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload)
	SELECT 'reply', u.id, u.workspace_id, jsonb_build_object('messageId', u.id, 'workspaceId', u.workspace_id,
		'network', CAST(@networks AS jsonb)->>c.type)
	FROM unsaid u JOIN channel c ON c.id = u.channel_id RETURNING 1
), unreminded AS (
	UPDATE lead SET heard_at = now() WHERE id IN (
		SELECT id FROM lead WHERE follow_up_at < now() - CAST(@grace AS float8) * interval '1 second'
			AND stage NOT IN ('WON', 'LOST') AND follow_up_at IS DISTINCT FROM reminded_at
			AND COALESCE(heard_at, '-infinity') < now() - 4 * CAST(@grace AS float8) * interval '1 second'
			AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'followup' AND o.subject = lead.id)
		LIMIT CAST(@limit AS bigint) FOR UPDATE SKIP LOCKED)
	RETURNING id, workspace_id, revision, follow_up_at
), f AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload)
	SELECT 'followup', id, workspace_id,
		jsonb_build_object('leadId', id, 'workspaceId', workspace_id, 'revision', revision, 'at', follow_up_at)
	FROM unreminded RETURNING 1
) SELECT (SELECT count(*) FROM p) + (SELECT count(*) FROM d) + (SELECT count(*) FROM r) + (SELECT count(*) FROM l)
	+ (SELECT count(*) FROM i) + (SELECT count(*) FROM m) + (SELECT count(*) FROM a) + (SELECT count(*) FROM n) + (SELECT count(*) FROM f)
