-- Compares the channels that need a schedule with those that have one, and enqueues the differences. It is one
-- statement, so that the rows of the schedules and the messages change together, in one round trip for all channels.
WITH missing AS (
	INSERT INTO insight_schedule AS s (channel_id, told_at)
	SELECT c.id, now() FROM channel c LEFT JOIN insight_schedule had ON had.channel_id = c.id
		LEFT JOIN insight_progress p ON p.channel_id = c.id
	WHERE c.is_connected AND c.type = ANY(CAST(@types AS text[])) AND (had.channel_id IS NULL OR
		GREATEST(had.told_at, p.heard_at) < now() - CAST(@silence AS float8) * interval '1 second')
	ORDER BY c.id LIMIT @limit
	ON CONFLICT (channel_id) DO UPDATE SET told_at = now()
		WHERE s.told_at < now() - CAST(@silence AS float8) * interval '1 second'
	RETURNING channel_id
), surplus AS (
	DELETE FROM insight_schedule WHERE channel_id IN (
		SELECT s.channel_id FROM insight_schedule s LEFT JOIN channel c ON c.id = s.channel_id
		WHERE c.id IS NULL OR NOT c.is_connected OR c.type <> ALL(CAST(@types AS text[]))
		LIMIT @limit FOR UPDATE OF s SKIP LOCKED)
	RETURNING channel_id
), told AS (
	INSERT INTO outbox (kind, lane, subject, payload, not_before)
	SELECT 'insights', 1, m.channel_id,
		jsonb_build_object('now', NOT EXISTS (SELECT FROM insight_progress p WHERE p.channel_id = m.channel_id)),
		now() + (row_number() OVER (ORDER BY m.channel_id) - 1) * CAST(@pace AS float8) * interval '1 second'
	FROM missing m
	UNION ALL SELECT 'insights', 1, channel_id, CAST('{}' AS jsonb), now() FROM surplus
	RETURNING 1
) SELECT count(*) FROM told
