-- Records that a collection completed, if the channel still exists. It is one statement, as in
-- insight_save_channel.sql.
INSERT INTO insight_progress (channel_id, collected_at, heard_at)
SELECT id, CAST(@at AS timestamptz), now() FROM channel WHERE id = @channel FOR KEY SHARE
ON CONFLICT (channel_id) DO UPDATE SET heard_at = now(), stopped = NULL, stopped_rev = NULL,
	collected_at = GREATEST(insight_progress.collected_at, excluded.collected_at)
