-- Reads the state of every channel of a workspace with its last followers and its published posts in a range. It is
-- one statement, so that it takes one round trip, however many channels the workspace has.
SELECT c.id AS channel_id, p.collected_at,
	CASE WHEN p.stopped_rev = c.credentials_rev THEN p.stopped END AS stopped,
	(SELECT i.followers FROM channel_insight i
		WHERE i.channel_id = c.id AND i.day <= CAST(@to AS date) AND i.followers IS NOT NULL
		ORDER BY i.day DESC LIMIT 1) AS followers,
	(SELECT count(*) FROM post o
		WHERE o.channel_id = c.id AND o.root_id IS NULL AND o.published_at >= @start AND o.published_at < @end) AS published
FROM channel c LEFT JOIN insight_progress p ON p.channel_id = c.id
WHERE c.workspace_id = @workspace ORDER BY c.id
