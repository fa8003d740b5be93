-- +goose Up
CREATE TABLE workspace (
    id         uuid PRIMARY KEY,
    name       text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    plan       text NOT NULL CHECK (plan IN ('FREE', 'CREATOR', 'GROWTH', 'AGENCY')),
    timezone   text NOT NULL,
    created_at timestamptz NOT NULL
);

-- The last sequence number given to an event of the workspace; a row of its own, so that numbering events never
-- waits for anything else that touches the workspace.
CREATE TABLE event_sequence (
    workspace_id uuid PRIMARY KEY REFERENCES workspace ON DELETE CASCADE,
    last         bigint NOT NULL DEFAULT 0
);

CREATE TABLE api_key (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    display      text NOT NULL,
    hash         bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    scopes       text[] NOT NULL,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz,
    created_at   timestamptz NOT NULL
);
CREATE INDEX api_key_by_workspace ON api_key (workspace_id, id);

CREATE TABLE channel (
    id              uuid PRIMARY KEY,
    workspace_id    uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    type            text NOT NULL,
    username        text NOT NULL,
    avatar_url      text,
    external_id     text NOT NULL,
    is_connected    boolean NOT NULL,
    token_status    text NOT NULL CHECK (token_status IN ('HEALTHY', 'EXPIRING', 'NEEDS_RECONNECT')),
    is_queue_paused boolean NOT NULL DEFAULT false,
    timezone        text NOT NULL,
    credentials     bytea, -- sealed; see secretbox
    credentials_rev integer NOT NULL DEFAULT 0, -- one refresh wins, the others read what it stored
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    UNIQUE (workspace_id, id),
    UNIQUE (workspace_id, type, external_id)
);

-- +goose Down
DROP TABLE channel, api_key, event_sequence, workspace;
