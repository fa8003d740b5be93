-- Enqueues every object that has a workflow, after the loss of the store of Temporal. It is one statement, because
-- nothing may change between its parts. Its parts are those of outbox_overdue.sql.
WITH p AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload, lane, due_at) -- as in post_insert.sql
	SELECT 'post', id, workspace_id,
		jsonb_strip_nulls(jsonb_build_object('revision', revision, 'status', status, 'scheduledAt', scheduled_at)),
		CAST(COALESCE(scheduled_at > now() + interval '2 minutes', true) AS integer),
		COALESCE(scheduled_at, now() + interval '5 minutes')
	FROM post WHERE status IN ('PENDING_APPROVAL', 'SCHEDULED') AND NOT beyond_horizon
		AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind IN ('post', 'restart') AND o.subject = post.id)
	RETURNING 1
), late AS (
	UPDATE delivery SET next_attempt_at = greatest(next_attempt_at, now()) WHERE id IN (
		SELECT id FROM delivery WHERE state = 'PENDING' AND lane IS NULL
			AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'delivery' AND o.subject = delivery.id)
		FOR UPDATE SKIP LOCKED)
	RETURNING id, workspace_id, webhook_id, run
), d AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload)
	SELECT 'delivery', id, workspace_id,
		jsonb_build_object('deliveryId', id, 'workspaceId', workspace_id, 'webhookId', webhook_id, 'run', run)
	FROM late RETURNING 1
), unheard AS (
	UPDATE redelivery SET heard_at = now() WHERE id IN (
		SELECT id FROM redelivery WHERE state = 'PENDING'
			AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'redelivery' AND o.subject = redelivery.id)
		FOR UPDATE SKIP LOCKED)
	RETURNING id, delivery_id, workspace_id, webhook_id
), r AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload)
	SELECT 'redelivery', id, workspace_id, jsonb_build_object('deliveryId', delivery_id, 'workspaceId', workspace_id,
		'webhookId', webhook_id, 'redeliveryId', id)
	FROM unheard RETURNING 1
), halted AS (
	UPDATE webhook_replay SET heard_at = now() WHERE id IN (
		SELECT id FROM webhook_replay WHERE state = 'RUNNING'
			AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'replay' AND o.subject = webhook_replay.id)
		FOR UPDATE SKIP LOCKED)
	RETURNING id, workspace_id, webhook_id
), l AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload)
	SELECT 'replay', id, workspace_id, jsonb_build_object('replayId', id, 'workspaceId', workspace_id, 'webhookId', webhook_id)
	FROM halted RETURNING 1
), i AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload)
	SELECT 'import', id, workspace_id, jsonb_build_object('mediaId', id, 'workspaceId', workspace_id)
	FROM media_import WHERE state = 'RUNNING'
		AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'import' AND o.subject = media_import.id)
	RETURNING 1
), again AS (
	UPDATE media SET process_again = now() + interval '10 minutes' WHERE id IN (
		SELECT id FROM media WHERE process_again IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'media' AND o.subject = media.id))
	RETURNING id, workspace_id
), m AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload)
	SELECT 'media', id, workspace_id, jsonb_build_object('mediaId', id, 'workspaceId', workspace_id) FROM again RETURNING 1
), silent AS (
	UPDATE mail SET next_at = now() WHERE id IN (
		SELECT id FROM mail WHERE NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'mail' AND o.subject = mail.id)
		FOR UPDATE SKIP LOCKED)
	RETURNING id, workspace_id, kind, NULLIF(way, 'MAIL') AS way
), a AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload)
	SELECT 'mail', id, COALESCE(workspace_id, '00000000-0000-0000-0000-000000000000'),
		jsonb_strip_nulls(jsonb_build_object('mailId', id, 'workspaceId', workspace_id, 'kind', kind, 'way', way))
	FROM silent RETURNING 1
), unsaid AS (
	UPDATE message SET heard_at = now() WHERE id IN (
		SELECT id FROM message WHERE state = 'QUEUED' AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'reply' AND o.subject = message.id)
		FOR UPDATE SKIP LOCKED)
	RETURNING id, workspace_id, channel_id
), n AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload)
	SELECT 'reply', u.id, u.workspace_id, jsonb_build_object('messageId', u.id, 'workspaceId', u.workspace_id,
		'network', CAST(@networks AS jsonb)->>c.type)
	FROM unsaid u JOIN channel c ON c.id = u.channel_id RETURNING 1
), f AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload, lane, due_at)
	SELECT 'followup', id, workspace_id,
		jsonb_build_object('leadId', id, 'workspaceId', workspace_id, 'revision', revision, 'at', follow_up_at), 1, follow_up_at
	FROM lead WHERE follow_up_at IS NOT NULL AND stage NOT IN ('WON', 'LOST') AND follow_up_at IS DISTINCT FROM reminded_at
		AND NOT follow_up_beyond AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.kind = 'followup' AND o.subject = lead.id)
	RETURNING 1
) SELECT (SELECT count(*) FROM p) + (SELECT count(*) FROM d) + (SELECT count(*) FROM r) + (SELECT count(*) FROM l)
	+ (SELECT count(*) FROM i) + (SELECT count(*) FROM m) + (SELECT count(*) FROM a) + (SELECT count(*) FROM n) + (SELECT count(*) FROM f)
