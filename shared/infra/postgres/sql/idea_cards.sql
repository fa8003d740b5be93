-- Reads a page of the cards of a board, or one of them. Positions depend on the places of all cards of the board, but texts are
-- read only for the page. It is one statement, so that places and texts come from one snapshot.
WITH placed AS (
	SELECT d.id, c.position + 1 AS lane, d.rank,
		row_number() OVER (PARTITION BY d.column_id ORDER BY d.rank) - 1 AS position
	FROM idea_card d JOIN idea_column c ON c.id = d.column_id WHERE d.board_id = @board
), page AS (
	SELECT * FROM placed WHERE (lane, rank) > (CAST(@lane AS integer), CAST(@rank AS bigint))
		AND (CAST(@card AS uuid) IS NULL OR id = CAST(@card AS uuid))
	ORDER BY lane, rank LIMIT @limit
)
SELECT d.id, d.board_id, d.column_id, page.position, page.lane, d.rank, d.title, d.content, d.link, d.media_ids,
	d.due, d.author_id, d.editor_id, d.created_at, d.updated_at,
	(SELECT u.name FROM app_user u WHERE u.id = d.author_id) AS author,
	(SELECT u.name FROM app_user u WHERE u.id = d.editor_id) AS editor,
	ARRAY(SELECT l.id FROM idea_card_label cl JOIN idea_label l ON l.id = cl.label_id WHERE cl.card_id = d.id
		ORDER BY l.position) AS label_ids,
	ARRAY(SELECT p.post_id FROM idea_card_post p WHERE p.card_id = d.id ORDER BY p.post_id) AS post_ids
FROM page JOIN idea_card d ON d.id = page.id ORDER BY page.lane, page.rank
