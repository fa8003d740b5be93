-- +goose Up
-- A person who signs in to the application.
CREATE TABLE app_user (
    id            uuid PRIMARY KEY,
    email         text NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    name          text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    password_hash text NOT NULL, -- argon2id, in the PHC string format
    created_at    timestamptz NOT NULL,
    disabled_at   timestamptz
);
CREATE UNIQUE INDEX app_user_by_email ON app_user (lower(email));

CREATE TABLE workspace_member (
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    user_id      uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (user_id, workspace_id)
);
CREATE INDEX workspace_member_by_workspace ON workspace_member (workspace_id);

-- A signed-in browser. Its cookie is stored as a SHA-256.
CREATE TABLE user_session (
    hash         bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    user_id      uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    created_at   timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL -- written at most once a minute
);
CREATE INDEX user_session_by_user ON user_session (user_id);
CREATE INDEX user_session_by_age ON user_session (last_seen_at);

CREATE TABLE oauth_client (
    id            text PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 2048),
    kind          text NOT NULL CHECK (kind IN ('FIRST_PARTY', 'REGISTERED', 'PUBLISHED')),
    name          text NOT NULL,
    uri           text NOT NULL,
    redirect_uris text[] NOT NULL,
    scopes        text[], -- the most it may ask for; null: all there are
    auth_method   text NOT NULL CHECK (auth_method IN ('none', 'client_secret_basic', 'client_secret_post')),
    secret_hash   bytea CHECK (octet_length(secret_hash) = 32),
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz, -- of a registered client that nobody has authorized
    fresh_until   timestamptz, -- of what a published client's document says
    CONSTRAINT oauth_client_secret CHECK ((auth_method = 'none') = (secret_hash IS NULL)),
    CONSTRAINT oauth_client_document CHECK ((kind = 'PUBLISHED') = (fresh_until IS NOT NULL))
);
CREATE INDEX oauth_client_by_expiry ON oauth_client (expires_at) WHERE expires_at IS NOT NULL;

-- What a client asks for, until a person decides.
CREATE TABLE oauth_request (
    hash         bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    client_id    text NOT NULL REFERENCES oauth_client ON DELETE CASCADE,
    redirect_uri text NOT NULL,
    state        text NOT NULL,
    scopes       text[] NOT NULL,
    resource     text NOT NULL,
    challenge    text NOT NULL,
    expires_at   timestamptz NOT NULL
);
CREATE INDEX oauth_request_by_expiry ON oauth_request (expires_at);
CREATE INDEX oauth_request_by_client ON oauth_request (client_id);

-- What a person allowed a client. Every token belongs to one; revoked_at ends them all.
CREATE TABLE oauth_grant (
    id           uuid PRIMARY KEY,
    client_id    text NOT NULL REFERENCES oauth_client ON DELETE CASCADE,
    user_id      uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    scopes       text[] NOT NULL,
    resource     text NOT NULL,
    created_at   timestamptz NOT NULL,
    revoked_at   timestamptz
);
CREATE INDEX oauth_grant_by_client ON oauth_grant (client_id);
CREATE INDEX oauth_grant_by_user ON oauth_grant (user_id);
CREATE INDEX oauth_grant_by_workspace ON oauth_grant (workspace_id);

CREATE TABLE oauth_code (
    hash         bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    grant_id     uuid NOT NULL UNIQUE REFERENCES oauth_grant ON DELETE CASCADE,
    redirect_uri text NOT NULL,
    challenge    text NOT NULL,
    expires_at   timestamptz NOT NULL,
    used_at      timestamptz
);
CREATE INDEX oauth_code_by_expiry ON oauth_code (expires_at);

-- Refresh tokens; a used one stays until it would have expired, so that its second use is noticed.
CREATE TABLE oauth_refresh_token (
    hash       bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    grant_id   uuid NOT NULL REFERENCES oauth_grant ON DELETE CASCADE,
    follows    bytea, -- the refresh token that it was given for; null: a code
    expires_at timestamptz NOT NULL,
    used_at    timestamptz,
    seed       bytea, -- sealed: what its successors were derived with, for a client that did not hear of them
    CONSTRAINT oauth_refresh_token_used CHECK ((used_at IS NULL) = (seed IS NULL))
);
CREATE INDEX oauth_refresh_token_by_grant ON oauth_refresh_token (grant_id);
CREATE INDEX oauth_refresh_token_by_expiry ON oauth_refresh_token (expires_at);

CREATE TABLE oauth_access_token (
    hash       bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    grant_id   uuid NOT NULL REFERENCES oauth_grant ON DELETE CASCADE,
    follows    bytea, -- as above
    scopes     text[] NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz -- the first time
);
CREATE INDEX oauth_access_token_by_grant ON oauth_access_token (grant_id);
CREATE INDEX oauth_access_token_by_expiry ON oauth_access_token (expires_at);

-- +goose Down
DROP TABLE oauth_access_token, oauth_refresh_token, oauth_code, oauth_grant, oauth_request, oauth_client, user_session, workspace_member, app_user;
