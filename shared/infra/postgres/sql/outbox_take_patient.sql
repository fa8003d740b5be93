-- Locks a batch of patient messages, the earliest due ones first. It is one statement, as outbox_take_urgent.sql.
WITH batch AS (
	SELECT id, lane, kind, subject, payload, tries, due_at, trace FROM outbox
	WHERE lane = 1 AND not_before <= now() AND kind = ANY(CAST(@kinds AS text[]))
	ORDER BY due_at, id LIMIT @limit FOR UPDATE SKIP LOCKED
), turn AS (
	SELECT CAST(NULL AS uuid) AS ended_with
)
