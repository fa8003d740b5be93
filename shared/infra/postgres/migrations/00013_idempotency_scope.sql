-- +goose Up
-- An Idempotency-Key stands for one request of its workspace, whatever the operation; imports take theirs from here, too.
LOCK TABLE idempotency_key, media_import IN ACCESS EXCLUSIVE MODE;
-- Where a key was used at several operations, its first use stays. A repetition of another one is refused, not done again.
DELETE FROM idempotency_key k USING idempotency_key first
    WHERE first.workspace_id = k.workspace_id AND first.key = k.key
    AND (first.completed_at, first.operation) < (k.completed_at, k.operation);
ALTER TABLE idempotency_key
    DROP CONSTRAINT idempotency_key_pkey,
    ADD PRIMARY KEY (workspace_id, key);
-- Without a status: an import, which has the key as long as it has not failed. Its row in media_import says what came of it.
INSERT INTO idempotency_key (workspace_id, operation, key, fingerprint, completed_at)
    SELECT workspace_id, 'import-media', idempotency_key, fingerprint, created_at FROM media_import
    WHERE idempotency_key IS NOT NULL AND state <> 'FAILED'
    ON CONFLICT DO NOTHING;

-- +goose Down
DELETE FROM idempotency_key WHERE status IS NULL; -- imports have their keys in media_import as well
ALTER TABLE idempotency_key
    DROP CONSTRAINT idempotency_key_pkey,
    ADD PRIMARY KEY (workspace_id, operation, key);
