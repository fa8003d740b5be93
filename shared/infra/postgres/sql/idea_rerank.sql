-- Spreads the ranks of the cards of a column. It is one statement, because a column may have any number of cards.
UPDATE idea_card d SET rank = n.rank
FROM (
	SELECT id, (row_number() OVER (ORDER BY rank) - 1) * CAST(@step AS bigint) AS rank
	FROM idea_card WHERE column_id = @column
) AS n
WHERE n.id = d.id
