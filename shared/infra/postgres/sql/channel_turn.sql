-- Takes the turn of a caller at a limited channel: the probe after the end of the limit, or a place in its line. It
-- is one statement, so that each caller gets a turn of its own in one round trip before its call.
WITH l AS (
	SELECT c.channel_id, c.probing, c.line, least(c.until, clock_timestamp() + @hold * interval '1 microsecond') AS until,
		clock_timestamp() AS now FROM channel_limit c WHERE c.channel_id = @channel FOR NO KEY UPDATE
), turned AS (
	UPDATE channel_limit c SET
		probing = l.probing OR l.until <= l.now,
		until = CASE WHEN l.until <= l.now THEN l.now + @probe * interval '1 microsecond' ELSE l.until END,
		line = CASE WHEN l.until <= l.now THEN l.line ELSE least(
			greatest(l.line, l.until) + @step * interval '1 microsecond', l.until + @longest * interval '1 microsecond') END
	FROM l WHERE c.channel_id = l.channel_id
	RETURNING CASE WHEN l.until <= l.now THEN 0
		ELSE CAST(extract(epoch FROM c.line - l.now) * 1000000 AS bigint) END AS micros
) SELECT coalesce(max(micros), 0) FROM turned
