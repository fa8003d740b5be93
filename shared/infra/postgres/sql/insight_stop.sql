-- Records that the network rejects the credentials of a revision, if the channel still exists. It is one statement,
-- as in insight_save_channel.sql.
INSERT INTO insight_progress (channel_id, stopped, stopped_rev, heard_at)
SELECT id, CAST(@reason AS text), CAST(@revision AS integer), now() FROM channel WHERE id = @channel FOR KEY SHARE
ON CONFLICT (channel_id) DO UPDATE SET stopped = excluded.stopped, stopped_rev = excluded.stopped_rev, heard_at = now()
