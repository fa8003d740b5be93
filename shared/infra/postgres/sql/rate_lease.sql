-- Takes as many tokens as it can from a bucket. It is one statement, because it runs before every request, and leases
-- of one bucket are serialized by its row. The clock is read after the row is locked, so that it is behind the time
-- of the row only if the clock was set back. The grant is stored because the statement can return only columns of the
-- new row.
INSERT INTO rate_bucket AS b (subject, lacking, at, granted)
VALUES (@subject, CAST(@want AS bigint) * @token, clock_timestamp(), @want)
ON CONFLICT (subject) DO UPDATE SET (lacking, at, granted) = (
	SELECT present.lacking + give.tokens * @token, clock.now, give.tokens
	FROM (SELECT clock_timestamp() AS now) AS clock,
	LATERAL (
		SELECT least(greatest(0, CAST(extract(epoch FROM clock.now - b.at) * 1000000 AS bigint)),
			CAST(@fill AS bigint)) AS micros
	) AS elapsed,
	LATERAL (SELECT greatest(0, least(b.lacking, CAST(@full AS bigint)) - elapsed.micros * @rate) AS lacking) AS present,
	LATERAL (SELECT least(@want, (CAST(@full AS bigint) - present.lacking) / @token) AS tokens) AS give
)
RETURNING granted, lacking
