-- Returns messages of a batch that the Sales Lead agent looks at, with what is known of them. It is one statement for the whole
-- batch, because a burst has thousands of messages. It leaves out workspaces in which the agent is off, spam, people who are never
-- suggested, and accounts of the workspace itself.
SELECT m.id, m.workspace_id, m.conversation_id, v.person_id, m.text, COALESCE(a.mode, 'SUGGEST') AS mode,
	COALESCE(to_jsonb(a.words), '[]') AS words,
	NOT EXISTS (SELECT FROM message e JOIN conversation o ON o.id = e.conversation_id
		WHERE o.person_id = v.person_id AND e.direction = 'IN' AND e.id <> m.id AND e.sent_at <= m.sent_at
			AND e.sent_at > m.sent_at - interval '30 days') AS first,
	g.post <> '' AND EXISTS (SELECT FROM publish_attempt t JOIN post p ON p.id = t.post_id
		WHERE t.channel_id = m.channel_id AND t.external_id = g.post AND t.state = 'CONFIRMED' AND p.content ~* 'https*://') AS campaign,
	EXISTS (SELECT FROM lead_suggestion s WHERE s.person_id = v.person_id AND s.state IN ('OPEN', 'ACCEPTED')) AS followed
FROM jsonb_to_recordset(CAST(@rows AS jsonb)) AS g(id uuid, post text)
	JOIN message m ON m.id = g.id
	JOIN conversation v ON v.id = m.conversation_id
	JOIN person w ON w.id = v.person_id
	LEFT JOIN lead_agent a ON a.workspace_id = m.workspace_id
WHERE m.direction = 'IN' AND m.text <> '' AND v.state <> 'SPAM' AND COALESCE(a.mode, 'SUGGEST') <> 'OFF'
	AND to_jsonb(w) ->> 'opted_out_at' IS NULL
	AND NOT EXISTS (SELECT FROM lead_suggestion s WHERE s.person_id = v.person_id AND s.state = 'MUTED')
	AND NOT EXISTS (SELECT FROM person_identity i JOIN channel c ON c.workspace_id = i.workspace_id
			AND i.value = ANY (string_to_array(c.external_id, ':'))
		WHERE i.person_id = v.person_id AND upper(c.type) LIKE upper(i.network) || '%')
ORDER BY v.person_id, m.sent_at, m.id
