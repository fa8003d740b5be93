-- Test mode: every workspace may have a test twin, a workspace of its own whose channels reach no network. The references
-- below are the guarantee that a test channel and a test key belong to a test workspace, and all others to a live one.

-- +goose Up
ALTER TABLE workspace ADD COLUMN live_id uuid UNIQUE REFERENCES workspace ON DELETE CASCADE;
ALTER TABLE workspace ADD COLUMN is_test boolean NOT NULL GENERATED ALWAYS AS (live_id IS NOT NULL) STORED;
ALTER TABLE workspace ADD CONSTRAINT workspace_mode UNIQUE (id, is_test);

ALTER TABLE channel ADD COLUMN is_test boolean NOT NULL DEFAULT false;
ALTER TABLE channel ADD CONSTRAINT channel_mode FOREIGN KEY (workspace_id, is_test) REFERENCES workspace (id, is_test)
    ON DELETE CASCADE;

ALTER TABLE api_key ADD COLUMN is_test boolean NOT NULL
    GENERATED ALWAYS AS (starts_with(display, 'svc_test_')) STORED;
ALTER TABLE api_key ADD CONSTRAINT api_key_mode FOREIGN KEY (workspace_id, is_test) REFERENCES workspace (id, is_test)
    ON DELETE CASCADE;

-- The memory of the test network: one row per prepared post. Its ID is the attempt's handle, and the ID of the post on the
-- network once it has accepted the post. calls: of the irrevocable call with this handle.
CREATE TABLE test_post (
    id          uuid PRIMARY KEY,
    post_id     uuid NOT NULL REFERENCES post ON DELETE CASCADE,
    script      text NOT NULL,
    calls       integer NOT NULL DEFAULT 0,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    accepted_at timestamptz
);
CREATE INDEX test_post_by_post ON test_post (post_id);

-- +goose Down
DROP TABLE test_post;
ALTER TABLE api_key DROP COLUMN is_test;
ALTER TABLE channel DROP COLUMN is_test;
DELETE FROM workspace WHERE is_test;
ALTER TABLE workspace DROP COLUMN is_test;
ALTER TABLE workspace DROP COLUMN live_id;
