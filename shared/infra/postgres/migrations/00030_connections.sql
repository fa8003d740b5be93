-- +goose Up
-- Attempts of people to connect accounts. The state and the session are SHA-256 hashes. The state is null once it was
-- used. The secret has the code verifier and then the credentials of the accounts to choose from, encrypted.
CREATE TABLE connect_attempt (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    session      bytea NOT NULL CHECK (octet_length(session) = 32),
    state        bytea UNIQUE CHECK (octet_length(state) = 32),
    channel_type text NOT NULL,
    variant      text NOT NULL DEFAULT '',
    server       text NOT NULL DEFAULT '',
    channel_id   uuid,
    redirect     text NOT NULL DEFAULT '',
    actor        text NOT NULL,
    outcome      text NOT NULL CHECK (outcome IN ('OPEN', 'PICKING', 'CONNECTED', 'DENIED', 'FAILED')),
    steps        jsonb NOT NULL DEFAULT '[]',
    secret       bytea,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    finished_at  timestamptz,
    CHECK (outcome IN ('OPEN', 'PICKING') OR secret IS NULL)
);
CREATE INDEX connect_attempt_by_workspace ON connect_attempt (workspace_id, id DESC);
-- Attempts that were abandoned still have a secret.
CREATE INDEX connect_attempt_abandoned ON connect_attempt (expires_at) WHERE secret IS NOT NULL;

-- Credentials of the applications that the operator registered at the networks, by the name of their environment
-- variable, encrypted. The variables override them.
CREATE TABLE app_credential (
    name       text PRIMARY KEY,
    value      bytea NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    updated_by text NOT NULL
);

-- +goose Down
DROP TABLE app_credential, connect_attempt;
