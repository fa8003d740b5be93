-- +goose Up
-- Requests for access of devices, which poll until a person decides in a browser (RFC 8628). Both codes are stored as a
-- SHA-256.
CREATE TABLE oauth_device (
    hash             bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    user_hash        bytea NOT NULL UNIQUE CHECK (octet_length(user_hash) = 32),
    client_id        text NOT NULL REFERENCES oauth_client ON DELETE CASCADE,
    scopes           text[] NOT NULL,
    resource         text NOT NULL,
    place            text NOT NULL, -- the address of the device, for the person
    created_at       timestamptz NOT NULL,
    expires_at       timestamptz NOT NULL,
    interval_seconds integer NOT NULL, -- between two polls
    polled_at        timestamptz,
    decided_at       timestamptz,
    redeemed_at      timestamptz, -- the tokens were given
    grant_id         uuid REFERENCES oauth_grant ON DELETE CASCADE, -- null: not allowed
    CONSTRAINT oauth_device_decided CHECK (decided_at IS NOT NULL OR grant_id IS NULL AND redeemed_at IS NULL)
);
CREATE INDEX oauth_device_by_expiry ON oauth_device (expires_at);
CREATE INDEX oauth_device_by_client ON oauth_device (client_id);
CREATE INDEX oauth_device_by_grant ON oauth_device (grant_id);

-- +goose Down
DROP TABLE oauth_device;
