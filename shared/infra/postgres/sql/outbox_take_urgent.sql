-- Ends outbox_turns.sql: locks a batch of urgent messages. Within a workspace the earliest due message goes first. A
-- quarter of the batch is for messages of the patient lane that have become due meanwhile.
, urgent AS (
	SELECT o.* FROM chosen c CROSS JOIN LATERAL (
		SELECT id, lane, kind, subject, payload, tries, due_at, trace FROM outbox
		WHERE LANE AND workspace_id = c.workspace_id AND not_before <= now()
			AND kind = ANY(CAST(@kinds AS text[]))
		ORDER BY due_at, id LIMIT greatest(1, @limit / (SELECT count(*) FROM chosen)) FOR UPDATE SKIP LOCKED
	) o
), matured AS (
	SELECT id, lane, kind, subject, payload, tries, due_at, trace FROM outbox
	WHERE lane = 1 AND due_at <= now() + interval '2 minutes' AND not_before <= now()
		AND kind = ANY(CAST(@kinds AS text[]))
	ORDER BY due_at, id LIMIT CAST(@limit AS bigint) / 4 FOR UPDATE SKIP LOCKED
), batch AS (
	SELECT * FROM urgent UNION ALL SELECT * FROM matured
), turn AS (
	SELECT (SELECT workspace_id FROM chosen WHERE rank = @turns) AS ended_with
)
