-- Locks the row of the endpoint, if the attempt changes it, and the delivery, and finds the position of the delivery.
-- An attempt that was recorded already is ignored, unless its result may be repeated. Together with
-- delivery_effects.sql it is one statement, so that a worker records an attempt and frees its place in one round
-- trip.
--
-- The endpoint is locked before any delivery is touched. A transaction that ends all deliveries of an endpoint holds
-- that row, and locking in the other order would deadlock. A response from a URL other than the current one does not
-- change the endpoint. Most attempts do not change it.
WITH changed AS (
	SELECT id, consecutive_failures, is_active AS was_active FROM webhook
	WHERE id = @webhook AND url = @url AND (is_failing <> CAST(@failing AS boolean) OR CAST(@counts AS boolean)
		OR CAST(@disable AS text) <> '' OR CAST(@reset AS boolean) AND consecutive_failures > 0)
	FOR NO KEY UPDATE
), found AS (
	SELECT id, run = @run AS same, tries, run > @run AS later,
		CASE WHEN state <> 'PENDING' THEN state WHEN lane IS NULL AND run = @run THEN 'OPEN' ELSE 'QUEUED' END AS position
	FROM delivery WHERE id = @id AND run >= @run AND (SELECT count(*) FROM changed) >= 0 FOR UPDATE
), before AS (
	SELECT id, same, position, position = 'OPEN' AS open FROM found
	WHERE tries = @tries OR later OR position = ANY(CAST(@repeated AS text[]))
), freed AS (
	UPDATE webhook_place SET held_by = NULL, held_until = '-infinity' WHERE webhook_id = @webhook AND held_by = @holder
		AND EXISTS (SELECT FROM before b WHERE b.same)
)
