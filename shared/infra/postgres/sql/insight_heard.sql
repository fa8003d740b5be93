-- Records that a collection is running, if the channel still exists. It is one statement, as in
-- insight_save_channel.sql.
INSERT INTO insight_progress (channel_id, heard_at) SELECT id, now() FROM channel WHERE id = @channel FOR KEY SHARE
ON CONFLICT (channel_id) DO UPDATE SET heard_at = now()
