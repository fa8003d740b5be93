-- +goose Up
-- A link by which a person joins a workspace. The link is stored as a SHA-256.
CREATE TABLE invitation (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    email        text NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    role         text NOT NULL CHECK (role IN ('OWNER', 'ADMIN', 'EDITOR', 'CONTRIBUTOR', 'VIEWER')),
    hash         bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    invited_by   uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    accepted_at  timestamptz,
    revoked_at   timestamptz
);
CREATE INDEX invitation_by_workspace ON invitation (workspace_id, id);
CREATE INDEX invitation_by_inviter ON invitation (invited_by);

-- The link by which the first owner signs up, while there are no users. There is at most one.
CREATE TABLE setup_link (
    only_one   boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    hash       bytea NOT NULL CHECK (octet_length(hash) = 32),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);

-- What a person sees of a session in the list of sessions.
ALTER TABLE user_session
    ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE,
    ADD COLUMN agent text NOT NULL DEFAULT '',
    ADD COLUMN place text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE user_session DROP COLUMN id, DROP COLUMN agent, DROP COLUMN place;
DROP TABLE setup_link, invitation;
