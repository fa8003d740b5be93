-- +goose Up
-- Mails that are not sent yet. The content, with the address and the secret of a link, is encrypted. A row is deleted
-- when its mail was sent or given up. next_at is the time of the next try.
CREATE TABLE mail (
    id           uuid PRIMARY KEY,
    workspace_id uuid REFERENCES workspace ON DELETE CASCADE,
    kind         text NOT NULL,
    content      bytea NOT NULL,
    tries        integer NOT NULL DEFAULT 0,
    last_error   text,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    next_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX mail_due ON mail (next_at);
CREATE INDEX mail_by_workspace ON mail (workspace_id) WHERE workspace_id IS NOT NULL;

ALTER TABLE outbox
    DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check
        CHECK (kind IN ('post', 'restart', 'delivery', 'import', 'media', 'redelivery', 'replay', 'insights', 'mail'));

-- Links by which people set a new password. A row exists for each request, whether or not the address has a user, so
-- that both take the same time. The link is stored as a SHA-256.
CREATE TABLE password_reset (
    hash       bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    email      text NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX password_reset_by_email ON password_reset (lower(email), created_at);
CREATE INDEX password_reset_by_end ON password_reset (expires_at);

-- Pending changes of email addresses, at most one for each user. Both addresses confirm by a link of their own, stored
-- as a SHA-256.
CREATE TABLE address_change (
    id           uuid PRIMARY KEY,
    user_id      uuid NOT NULL UNIQUE REFERENCES app_user ON DELETE CASCADE,
    email        text NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    leaving      bytea NOT NULL UNIQUE CHECK (octet_length(leaving) = 32),
    arriving     bytea NOT NULL UNIQUE CHECK (octet_length(arriving) = 32),
    left_at      timestamptz,
    arrived_at   timestamptz,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL
);
CREATE INDEX address_change_by_end ON address_change (expires_at);

-- +goose Down
DROP TABLE address_change, password_reset;
DELETE FROM outbox WHERE kind = 'mail';
ALTER TABLE outbox
    DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check
        CHECK (kind IN ('post', 'restart', 'delivery', 'import', 'media', 'redelivery', 'replay', 'insights'));
DROP TABLE mail;
