-- +goose Up
-- Whether the password alone does not sign the person in. The store writes it with the factors below, so that reading a
-- user stays one row.
ALTER TABLE app_user ADD COLUMN second_factor boolean NOT NULL DEFAULT false;

-- The authenticator app of a person. The secret is encrypted.
CREATE TABLE user_totp (
    user_id      uuid PRIMARY KEY REFERENCES app_user ON DELETE CASCADE,
    secret       bytea NOT NULL,
    created_at   timestamptz NOT NULL,
    confirmed_at timestamptz,               -- null: shown, but not confirmed with a code
    last_step    bigint NOT NULL DEFAULT 0, -- time step of the last accepted code, which is not accepted again
    failures     integer NOT NULL DEFAULT 0 -- wrong codes since the last accepted one
);

-- Recovery codes, stored as SHA-256.
CREATE TABLE user_recovery_code (
    user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    hash    bytea NOT NULL CHECK (octet_length(hash) = 32),
    used_at timestamptz,
    PRIMARY KEY (user_id, hash)
);

-- Passkeys. The record is the public key with its flags and its counter, as the library for WebAuthn writes it.
CREATE TABLE user_passkey (
    id            uuid PRIMARY KEY,
    user_id       uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    credential_id bytea NOT NULL UNIQUE CHECK (octet_length(credential_id) BETWEEN 1 AND 1023),
    name          text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    record        jsonb NOT NULL,
    created_at    timestamptz NOT NULL,
    last_used_at  timestamptz,
    cloned_at     timestamptz -- when its counter went back for the first time
);
CREATE INDEX user_passkey_by_user ON user_passkey (user_id, id);

-- A step of a sign-in that waits for the browser: the second factor, the response of a passkey, or the return from the
-- sign-in provider. The session is the SHA-256 of the browser's cookie.
CREATE TABLE sign_in_step (
    session    bytea NOT NULL CHECK (octet_length(session) = 32),
    kind       text NOT NULL CHECK (kind IN ('SECOND_FACTOR', 'PASSKEY', 'PROVIDER', 'LINK')),
    user_id    uuid REFERENCES app_user ON DELETE CASCADE,
    data       text NOT NULL DEFAULT '',
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (session, kind)
);
CREATE INDEX sign_in_step_by_user ON sign_in_step (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX sign_in_step_by_expiry ON sign_in_step (expires_at);

-- How the person signed in, and when the person last proved their presence in this session.
ALTER TABLE user_session
    ADD COLUMN method text NOT NULL DEFAULT 'password',
    ADD COLUMN confirmed_at timestamptz;

-- +goose Down
ALTER TABLE user_session DROP COLUMN method, DROP COLUMN confirmed_at;
DROP TABLE sign_in_step, user_passkey, user_recovery_code, user_totp;
ALTER TABLE app_user DROP COLUMN second_factor;
