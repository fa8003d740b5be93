-- Sets the end of a limit of the network. A probe replaces the previous end; otherwise the later end applies. It is
-- one statement, because several workers set the limit at a time.
INSERT INTO channel_limit AS c (channel_id, until, line)
SELECT @channel, t.until, t.until FROM (SELECT clock_timestamp() + @micros * interval '1 microsecond' AS until) AS t
ON CONFLICT (channel_id) DO UPDATE SET probing = false,
	until = CASE WHEN c.probing THEN excluded.until ELSE greatest(c.until, excluded.until) END
