-- Counts the answers of a channel by month, category and whether the network bills them. It is one statement over one partial index,
-- so that the page of a busy number reads no message.
SELECT date_trunc('month', sent_at AT TIME ZONE CAST(@zone AS text)) AS month, price AS category, COALESCE(billed, true) AS billed,
	count(*) AS n
FROM message WHERE channel_id = @channel AND price <> '' AND sent_at >= @since
GROUP BY 1, 2, 3 ORDER BY 1 DESC, 2, 3
