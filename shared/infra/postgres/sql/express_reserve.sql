-- Reserves first attempts for the express lane that Temporal has not taken in time, and reports that a lane works.
-- While Temporal is late, younger deliveries are reserved too: starting their workflows would take the processors
-- from the lane. It is one statement, because relays must not see the state of the lane without its deliveries.
--
-- A delivery whose lease ended goes to Temporal, and comes back if Temporal does not take it either. One that was
-- handed over several times, or that Temporal rejects, is left to Temporal.
WITH timely AS (
	SELECT now() - CAST(@after AS float8) * interval '1 second' AS since
), late AS (
	SELECT EXISTS (SELECT FROM outbox o JOIN delivery d ON d.id = o.subject
		WHERE o.lane = 0 AND o.kind = 'delivery' AND o.created_at <= (SELECT since FROM timely)
			AND o.tries < @hand_overs AND d.tries = 0) AS found
), waiting AS (
	SELECT o.id FROM outbox o JOIN delivery d ON d.id = o.subject
	WHERE o.lane = 0 AND o.kind = 'delivery' AND o.tries < @hand_overs AND d.tries = 0
		AND ((SELECT found FROM late) OR (SELECT busy_until > now() FROM express_lane))
	ORDER BY o.created_at LIMIT @limit FOR UPDATE OF o SKIP LOCKED
), dead AS (
	SELECT o.id FROM outbox o JOIN delivery d ON d.id = o.subject
	WHERE o.lane = 3 AND o.tries < @hand_overs AND d.tries = 0
		AND o.not_before <= (SELECT since FROM timely) - CAST(@silence AS float8) * interval '1 second'
	ORDER BY o.not_before LIMIT @limit FOR UPDATE OF o SKIP LOCKED
), moved AS (
	UPDATE outbox o SET lane = 2, not_before = '-infinity'
	FROM (SELECT id FROM waiting UNION ALL SELECT id FROM dead) m WHERE o.id = m.id
	RETURNING o.id
), reported AS (
	UPDATE express_lane SET seen_at = now(), busy_until = CASE WHEN (SELECT found FROM late)
		THEN now() + CAST(@busy AS float8) * interval '1 second' ELSE busy_until END
	WHERE seen_at < now() - interval '1 second' OR (SELECT found FROM late)
)
SELECT count(*) FROM moved
