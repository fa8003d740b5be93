-- Moves the cards of a column to the end of another one, in their order. It is one statement, because a column may have any
-- number of cards.
UPDATE idea_card d SET column_id = CAST(@into AS uuid), rank = last.rank + moved.n * CAST(@step AS bigint), updated_at = greatest(d.updated_at, @now)
FROM (SELECT id, row_number() OVER (ORDER BY rank) AS n FROM idea_card WHERE column_id = CAST(@from AS uuid)) AS moved,
	(SELECT COALESCE(max(rank), 0) AS rank FROM idea_card WHERE column_id = CAST(@into AS uuid)) AS last
WHERE moved.id = d.id
