-- +goose Up
-- When the credentials of a channel must be renewed, and when only a person can extend them. The credentials are
-- sealed, so both times are columns. They are assessed from the credentials of the revision assessed_rev.
ALTER TABLE channel
    ADD COLUMN renew_at timestamptz,     -- null: no renewal is due
    ADD COLUMN token_end_at timestamptz, -- null: no end is known
    ADD COLUMN assessed_at timestamptz,
    ADD COLUMN assessed_rev integer;
CREATE INDEX channel_renewal ON channel (renew_at) WHERE renew_at IS NOT NULL;

-- What happened to the connection of a channel.
CREATE TABLE channel_timeline (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    channel_id uuid NOT NULL REFERENCES channel ON DELETE CASCADE,
    at         timestamptz NOT NULL,
    kind       text NOT NULL,
    detail     text NOT NULL CHECK (length(detail) <= 1000)
);
CREATE INDEX channel_timeline_by_channel ON channel_timeline (channel_id, id);
CREATE INDEX channel_timeline_by_age ON channel_timeline (at);

-- +goose Down
DROP TABLE channel_timeline;
DROP INDEX channel_renewal;
ALTER TABLE channel
    DROP COLUMN renew_at, DROP COLUMN token_end_at, DROP COLUMN assessed_at, DROP COLUMN assessed_rev;
