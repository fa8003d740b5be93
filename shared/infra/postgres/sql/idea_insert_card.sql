-- Inserts a card with its labels. It is one statement, so that adding a card holds the lock on its board for one
-- round trip less. Its parts do not see the rows of each other, but foreign keys are checked at its end.
WITH touched AS (
	UPDATE idea_board SET updated_at = greatest(updated_at, @now) WHERE id = @board
), labelled AS (
	INSERT INTO idea_card_label (board_id, card_id, label_id)
	SELECT CAST(@board AS uuid), CAST(@id AS uuid), l FROM unnest(CAST(@labels AS uuid[])) AS l
) INSERT INTO idea_card (id, board_id, column_id, rank, title, content, link, media_ids, due, author_id, editor_id,
	created_at, updated_at)
VALUES (@id, @board, @column, @rank, @title, @content, @link, CAST(@media AS uuid[]), CAST(@due AS date), CAST(@author AS uuid),
	CAST(@author AS uuid), @now, @now)
