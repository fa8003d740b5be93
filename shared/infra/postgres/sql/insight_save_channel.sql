-- Stores the days of a channel and the progress of its collection, if the channel still exists. It is one statement,
-- so that the channel cannot be deleted in between, and a collection takes one round trip, however many days it has.
WITH present AS (
	SELECT id FROM channel WHERE id = @channel FOR KEY SHARE
), progress AS (
	INSERT INTO insight_progress (channel_id, collected_until, heard_at)
	SELECT id, CAST(@until AS date), now() FROM present
	ON CONFLICT (channel_id) DO UPDATE SET heard_at = now(),
		collected_until = GREATEST(insight_progress.collected_until, excluded.collected_until)
)
INSERT INTO channel_insight AS old (channel_id, day, followers, impressions, reach, engagements, profile_views,
	website_clicks, collected_at)
SELECT p.id, d.day, d.followers, d.impressions, d.reach, d.engagements, d.profile_views, d.website_clicks,
	d.collected_at
FROM present p, jsonb_to_recordset(CAST(@rows AS jsonb)) AS d (day date, followers bigint, impressions bigint,
	reach bigint, engagements bigint, profile_views bigint, website_clicks bigint, collected_at timestamptz)
ON CONFLICT (channel_id, day) DO UPDATE SET
	followers = COALESCE(excluded.followers, old.followers), impressions = COALESCE(excluded.impressions, old.impressions),
	reach = COALESCE(excluded.reach, old.reach), engagements = COALESCE(excluded.engagements, old.engagements),
	profile_views = COALESCE(excluded.profile_views, old.profile_views),
	website_clicks = COALESCE(excluded.website_clicks, old.website_clicks), collected_at = excluded.collected_at
WHERE old.collected_at <= excluded.collected_at
