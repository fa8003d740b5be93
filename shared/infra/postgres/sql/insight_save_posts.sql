-- Stores the figures of posts for a day. Posts that no longer exist are skipped. It is one statement, as in
-- insight_save_channel.sql.
WITH progress AS (
	UPDATE insight_progress SET heard_at = now() WHERE channel_id = @channel
), present AS (
	SELECT p.id FROM post p WHERE p.channel_id = @channel
		AND p.id IN (SELECT post_id FROM jsonb_to_recordset(CAST(@rows AS jsonb)) AS r (post_id uuid))
	ORDER BY p.id FOR KEY SHARE
)
INSERT INTO post_insight AS old (post_id, day, impressions, reach, likes, comments, shares, saves, clicks, video_views,
	collected_at)
SELECT d.post_id, d.day, d.impressions, d.reach, d.likes, d.comments, d.shares, d.saves, d.clicks, d.video_views,
	d.collected_at
FROM present p JOIN jsonb_to_recordset(CAST(@rows AS jsonb)) AS d (post_id uuid, day date, impressions bigint,
	reach bigint, likes bigint, comments bigint, shares bigint, saves bigint, clicks bigint, video_views bigint,
	collected_at timestamptz)
	ON d.post_id = p.id
ON CONFLICT (post_id, day) DO UPDATE SET
	impressions = COALESCE(excluded.impressions, old.impressions), reach = COALESCE(excluded.reach, old.reach),
	likes = COALESCE(excluded.likes, old.likes), comments = COALESCE(excluded.comments, old.comments),
	shares = COALESCE(excluded.shares, old.shares), saves = COALESCE(excluded.saves, old.saves),
	clicks = COALESCE(excluded.clicks, old.clicks), video_views = COALESCE(excluded.video_views, old.video_views),
	collected_at = excluded.collected_at
WHERE old.collected_at <= excluded.collected_at
