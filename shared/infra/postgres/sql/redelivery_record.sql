-- Does for a redelivery what delivery_record.sql does for an automatic attempt: ends the redelivery unless it has
-- ended, and finds the position of its delivery. The endpoint is locked first, then the delivery, then
-- the redelivery, as when an endpoint is turned off. It is one statement with delivery_effects.sql.
WITH changed AS (
	SELECT id, consecutive_failures, is_active AS was_active FROM webhook
	WHERE id = @webhook AND url = @url AND (is_failing <> CAST(@failing AS boolean) OR CAST(@counts AS boolean)
		OR CAST(@disable AS text) <> '' OR CAST(@reset AS boolean) AND consecutive_failures > 0)
	FOR NO KEY UPDATE
), found AS (
	SELECT id, state FROM delivery WHERE id = @id AND (SELECT count(*) FROM changed) >= 0 FOR UPDATE
), r AS (
	UPDATE redelivery SET state = 'DONE' WHERE id = @redelivery AND state <> 'DONE' AND (SELECT count(*) FROM found) >= 0
	RETURNING delivery_id
), before AS (
	SELECT id, false AS same, CASE WHEN state <> 'PENDING' THEN state ELSE 'QUEUED' END AS position, true AS open
	FROM found WHERE id IN (SELECT delivery_id FROM r)
), freed AS (
	UPDATE webhook_place SET held_by = NULL, held_until = '-infinity' WHERE webhook_id = @webhook AND held_by = @holder
)
