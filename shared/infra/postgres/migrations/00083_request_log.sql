-- +goose Up
-- The requests of API keys and programs, for the people who manage them. The cleanup deletes them after 30 days.
CREATE TABLE request_log (
    id           uuid PRIMARY KEY, -- in the order of time
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    key_id       uuid REFERENCES api_key ON DELETE CASCADE,
    grant_id     uuid REFERENCES oauth_grant ON DELETE CASCADE,
    at           timestamptz NOT NULL,
    method       text NOT NULL,
    operation    text NOT NULL,
    path         text NOT NULL, -- parts and values that may be personal are not stored
    query        text NOT NULL,
    status       integer NOT NULL,
    code         text NOT NULL, -- of the problem; empty: none
    duration_us  bigint NOT NULL,
    request_id   text NOT NULL,
    client       text NOT NULL, -- the network of the address
    agent        text NOT NULL,
    CHECK (num_nonnulls(key_id, grant_id) = 1)
);
CREATE INDEX request_log_by_workspace ON request_log (workspace_id, id);
CREATE INDEX request_log_by_key ON request_log (key_id, id) WHERE key_id IS NOT NULL;
CREATE INDEX request_log_by_grant ON request_log (grant_id, id) WHERE grant_id IS NOT NULL;
CREATE INDEX request_log_by_request ON request_log (workspace_id, request_id);
CREATE INDEX request_log_failed ON request_log (workspace_id, id) WHERE status >= 400;

-- +goose Down
DROP TABLE request_log;
