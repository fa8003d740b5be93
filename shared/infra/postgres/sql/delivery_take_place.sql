-- Renews the place held by the holder, or takes a free one. It is one statement, so that no other transaction can
-- intervene. A place that is held for a minute more than a hold from now on was taken while the clock
-- was ahead, and is free. The minute covers transactions that began after this one, whose holds end later.
WITH mine AS (
	UPDATE webhook_place SET held_until = now() + CAST(@hold AS float8) * interval '1 second'
	WHERE webhook_id = @webhook AND held_by = @holder AND held_until > now() RETURNING n
), taken AS (
	UPDATE webhook_place SET held_by = @holder, held_until = now() + CAST(@hold AS float8) * interval '1 second'
	WHERE webhook_id = @webhook AND n = (
		SELECT p.n FROM webhook_place p JOIN webhook w ON w.id = p.webhook_id
		WHERE p.webhook_id = @webhook AND (p.held_until < now() OR p.held_until > now() + (CAST(@hold AS float8) + 60) * interval '1 second')
			AND (p.n = 1 OR NOT w.is_failing)
			AND NOT EXISTS (SELECT FROM mine)
		ORDER BY p.n LIMIT 1 FOR UPDATE OF p SKIP LOCKED
	) RETURNING n
)
SELECT (SELECT count(*) FROM mine) + (SELECT count(*) FROM taken)
