-- Ends post_change.sql: writes the parts that follow a post that was published, each waiting for the one before, and the state of the
-- parts in their root. A post that was found after the database was restored may have published its parts too: they are looked for
-- before they are sent, as recovery_fence.sql does it. The parts of a post that its network removed are gone with it.
, part AS (
	INSERT INTO post (id, workspace_id, channel_id, author_id, content, title, content_type, media_ids, media_alt_texts, options, status,
		scheduled_at, created_at, updated_at, revision, waiting_reason, overrides_pause, own_members, labels, label_keys, consents, writers,
		after_id, after_delay, after_failure, root_id, part_index, part_kind)
	SELECT x.id, x.workspace_id, x.channel_id, x.author_id, x.content, x.title, x.content_type, x.media_ids, x.media_alt_texts, x.options, x.status,
		x.scheduled_at, x.created_at, x.updated_at, x.revision, x.waiting_reason, x.overrides_pause, x.own_members, x.labels, x.label_keys,
		x.consents, x.writers, x.after_id, x.after_delay, x.after_failure, x.root_id, x.part_index, x.part_kind
	FROM changed CROSS JOIN jsonb_populate_recordset(CAST(null AS post), CAST(@new_parts AS jsonb)) AS x
	RETURNING id, workspace_id, channel_id, revision, part_index, content_type, title, content, options
), first_part AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload, lane, due_at, trace)
	SELECT 'post', id, workspace_id, CAST(@part_plan AS jsonb), 0, now(), CAST(@trace AS text) FROM part WHERE part_index = 1
), fenced AS (
	INSERT INTO publish_attempt (post_id, n, revision, channel_id, state, marker, owner, started_at, sent_at, finished_at, failure_class,
		failure_code, failure_message)
	SELECT part.id, 1, part.revision, part.channel_id, a.state,
		'restored:' || md5(CAST(ROW(part.content_type, part.title, part.content, part.options) AS text)),
		gen_random_uuid(), a.started_at, a.sent_at, now(), a.failure_class, a.failure_code, a.failure_message
	FROM part JOIN publish_attempt a ON a.post_id = @id AND a.n = @attempt AND a.failure_code = @restored
), whole AS (
	UPDATE post r SET parts_state = CAST(@root_state AS text),
		updated_at = GREATEST(r.updated_at + interval '1 millisecond', CAST(@updated_at AS timestamptz))
	FROM changed WHERE r.id = CAST(@root AS uuid) AND CAST(@root_state AS text) IS NOT NULL
)
