-- Ends post_change.sql and post_edit.sql: writes the events, the timeline and the outbox row of a change if, and only
-- if, the post was changed. It abandons the attempts of unknown outcome after a user decided to retry.
, freed AS (
	UPDATE publish_attempt SET state = CAST(@abandoned AS text)
	WHERE post_id IN (SELECT id FROM changed) AND state = ANY(CAST(@released AS text[]))
), e AS (
	INSERT INTO event (id, workspace_id, type, body, created_at, trace)
	SELECT x.id, workspace_id, x.type, convert_to(x.body, 'UTF8'), CAST(@updated_at AS timestamptz), CAST(@trace AS text)
	FROM changed, unnest(CAST(@event_ids AS uuid[]), CAST(@event_types AS text[]), CAST(@event_bodies AS text[]))
		AS x(id, type, body)
	ORDER BY x.id -- IDs of one program ascend; the ordinals follow them
), t AS (
	INSERT INTO post_timeline AS l (post_id, at, kind, actor, detail, revision, next_at)
	SELECT changed.id, x.at, x.kind, x.actor, x.detail, x.revision, x.next_at
	FROM changed, jsonb_to_recordset(CAST(@timeline AS jsonb))
		AS x(at timestamptz, kind text, actor text, detail text, revision integer, next_at timestamptz)
	-- A repeated entry is counted.
	ON CONFLICT (post_id, revision, detail) WHERE revision IS NOT NULL
	DO UPDATE SET count = l.count + 1, last_at = excluded.at, next_at = excluded.next_at
), o AS (
	INSERT INTO outbox (kind, subject, workspace_id, payload, lane, due_at, trace) -- as in post_insert.sql
	SELECT 'post', id, workspace_id, CAST(@plan AS jsonb),
		CAST(COALESCE(scheduled_at > now() + interval '2 minutes', true) AS integer),
		COALESCE(scheduled_at, now() + interval '5 minutes'), CAST(@trace AS text)
	FROM (
		SELECT id, workspace_id, CAST(CAST(@plan AS jsonb) ->> 'scheduledAt' AS timestamptz) AS scheduled_at
		FROM changed WHERE CAST(@wake AS boolean)
	) x
), n AS (
	-- People are mailed about it; see mails_posts.go.
	INSERT INTO post_notice (post_id, kind, workspace_id, created_at)
	SELECT COALESCE(CAST(@root AS uuid), id), CAST(@notice AS text), workspace_id, CAST(@updated_at AS timestamptz) FROM changed WHERE CAST(@notice AS text) <> ''
	ON CONFLICT DO NOTHING
)
