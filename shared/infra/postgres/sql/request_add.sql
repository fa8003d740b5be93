-- Adds a batch of requests to the log. It is one statement, so that a batch takes one round trip, and so that requests of
-- workspaces and credentials that were deleted in the meantime are skipped. A batch that is sent again adds nothing.
INSERT INTO request_log (id, workspace_id, key_id, grant_id, at, method, operation, path, query, status, code, duration_us,
	request_id, client, agent)
SELECT r.id, w.id, k.id, g.id, r.at, r.method, r.operation, r.path, r.query, r.status, r.code, r.duration_us,
	r.request_id, r.client, r.agent
FROM jsonb_to_recordset(CAST(@requests AS jsonb)) AS r (id uuid, workspace_id uuid, credential_id uuid, at timestamptz,
		method text, operation text, path text, query text, status integer, code text, duration_us bigint,
		request_id text, client text, agent text)
	JOIN workspace w ON w.id = r.workspace_id
	LEFT JOIN api_key k ON k.id = r.credential_id AND k.workspace_id = w.id
	LEFT JOIN oauth_grant g ON g.id = r.credential_id AND g.workspace_id = w.id
WHERE num_nonnulls(k.id, g.id) = 1
ORDER BY r.id
ON CONFLICT (id) DO NOTHING
