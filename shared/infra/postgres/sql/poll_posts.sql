-- Finds the posts of a channel below which people may write: those of the last month. It is one statement, so that a post is
-- found, noticed or left by one round. A post whose figures have more comments than at its last poll is due at once.
-- People may write before the publication is recorded, and clocks differ: the minutes before count too.
WITH published AS (
	SELECT a.external_id, p.published_at,
		COALESCE((SELECT max(i.comments) FROM post_insight i WHERE i.post_id = p.id), 0) AS comments
	FROM post p JOIN publish_attempt a ON a.post_id = p.id AND a.state = 'CONFIRMED' AND a.external_id <> ''
	WHERE p.channel_id = @channel AND p.part_kind IS DISTINCT FROM 'COMMENT' AND p.published_at >= now() - CAST(@age AS float8) * interval '1 second'
), over AS (
	DELETE FROM inbox_poll WHERE channel_id = @channel AND post <> '' AND post NOT IN (SELECT external_id FROM published)
)
INSERT INTO inbox_poll AS p (channel_id, post, since, posted_at, comments)
SELECT @channel, f.external_id, GREATEST(f.published_at - interval '5 minutes', now() - CAST(@first AS float8) * interval '1 second'), f.published_at,
	f.comments
FROM published f
ON CONFLICT (channel_id, post) DO UPDATE SET comments = excluded.comments, next_at = now() WHERE excluded.comments > p.comments
