-- Adds a batch of counts. It is one statement, so that a batch takes one round trip, however many pages it has. Rows
-- are written in the same order everywhere, so that two processes do not deadlock. Pages deleted in the meantime are
-- skipped. A source adds visitors up to its limit.
WITH once AS (
	INSERT INTO link_visit_batch (id) VALUES (@id) ON CONFLICT DO NOTHING RETURNING id
), counted AS (
	SELECT v.page_id, v.day, sum(v.views) AS views, sum(v.bots) AS bots
	FROM once, jsonb_to_recordset(CAST(@views AS jsonb)) AS v (page_id uuid, day date, views bigint, bots bigint)
	GROUP BY v.page_id, v.day
), clicked AS (
	SELECT c.page_id, c.block_id, c.day, sum(c.clicks) AS clicks
	FROM once, jsonb_to_recordset(CAST(@clicks AS jsonb)) AS c (page_id uuid, block_id uuid, day date, clicks bigint)
	GROUP BY c.page_id, c.block_id, c.day
), seen AS (
	SELECT DISTINCT s.page_id, s.day, decode(s.visitor, 'hex') AS visitor, decode(s.source, 'hex') AS source
	FROM once, jsonb_to_recordset(CAST(@visitors AS jsonb)) AS s (page_id uuid, day date, visitor text, source text)
), kept AS (
	SELECT id FROM link_page
	WHERE id IN (SELECT page_id FROM counted UNION SELECT page_id FROM clicked UNION SELECT page_id FROM seen)
	ORDER BY id FOR KEY SHARE
), known AS (
	SELECT v.page_id, v.day, v.source, count(*) AS visitors
	FROM link_visitor v JOIN (SELECT DISTINCT page_id, day, source FROM seen) AS s USING (page_id, day, source)
	GROUP BY 1, 2, 3
), ranked AS (
	SELECT s.*, coalesce(known.visitors, 0)
		+ row_number() OVER (PARTITION BY s.page_id, s.day, s.source ORDER BY s.visitor) AS place
	FROM seen s JOIN kept ON kept.id = s.page_id LEFT JOIN known USING (page_id, day, source)
	WHERE NOT EXISTS (SELECT FROM link_visitor v WHERE v.page_id = s.page_id AND v.day = s.day AND v.visitor = s.visitor)
), fresh AS (
	INSERT INTO link_visitor (page_id, day, visitor, source)
	SELECT page_id, day, visitor, source FROM ranked WHERE place <= @most ORDER BY 1, 2, 3
	ON CONFLICT DO NOTHING RETURNING page_id, day
), short AS (
	UPDATE short_link l SET clicks = l.clicks + s.clicks
	FROM once, jsonb_to_recordset(CAST(@short AS jsonb)) AS s (code text, clicks bigint) WHERE l.code = s.code
), views AS (
	INSERT INTO page_view_day AS d (page_id, day, views, visitors, bots)
	SELECT c.page_id, c.day, c.views,
		(SELECT count(*) FROM fresh f WHERE f.page_id = c.page_id AND f.day = c.day), c.bots
	FROM counted c JOIN kept ON kept.id = c.page_id ORDER BY 1, 2
	ON CONFLICT (page_id, day) DO UPDATE SET views = d.views + excluded.views,
		visitors = d.visitors + excluded.visitors, bots = d.bots + excluded.bots
)
INSERT INTO click_day AS d (page_id, block_id, day, clicks)
	SELECT c.page_id, c.block_id, c.day, c.clicks FROM clicked c JOIN kept ON kept.id = c.page_id ORDER BY 1, 2, 3
	ON CONFLICT (page_id, block_id, day) DO UPDATE SET clicks = d.clicks + excluded.clicks
