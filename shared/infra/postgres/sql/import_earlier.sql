-- Finds the import or the response that used a key. It is one statement, so that a key that moves from one table to the
-- other is found.
SELECT id, fingerprint FROM media_import
WHERE workspace_id = @workspace AND idempotency_key = @key AND state <> 'FAILED'
UNION ALL
SELECT NULL, fingerprint FROM idempotency_key WHERE workspace_id = @workspace AND key = @key AND status IS NOT NULL
LIMIT 1
