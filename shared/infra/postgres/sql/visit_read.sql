-- Reads the views and clicks of a page by day. It is one statement, so that both come from one snapshot.
SELECT CAST(day AS timestamptz) AS day, sum(views) AS views, sum(visitors) AS visitors, sum(clicks) AS clicks FROM (
	SELECT day, views, visitors, 0 AS clicks FROM page_view_day
	WHERE page_id = @page AND day BETWEEN CAST(@from AS date) AND CAST(@to AS date)
	UNION ALL
	SELECT day, 0, 0, clicks FROM click_day
	WHERE page_id = @page AND day BETWEEN CAST(@from AS date) AND CAST(@to AS date)
) AS d GROUP BY day ORDER BY day
