-- Records activity of a redelivery or a replay, whose identifiers are distinct. It is one statement, so that a turn of
-- either takes one round trip.
WITH r AS (
	UPDATE redelivery SET heard_at = now() WHERE id = CAST(@id AS uuid) AND state = 'PENDING'
)
UPDATE webhook_replay SET heard_at = now() WHERE id = CAST(@id AS uuid) AND state = 'RUNNING'
