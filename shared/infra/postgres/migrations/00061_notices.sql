-- +goose Up
-- How a message reaches people, and the end of the quiet hours that hold it.
ALTER TABLE mail ADD COLUMN way text NOT NULL DEFAULT 'MAIL', ADD COLUMN held_until timestamptz;

-- The ways beside mail by which a person, or the room of a workspace, gets messages. The address is encrypted: with it anyone
-- can write there.
CREATE TABLE notice_way (
    id           uuid PRIMARY KEY,
    user_id      uuid REFERENCES app_user ON DELETE CASCADE,
    workspace_id uuid REFERENCES workspace ON DELETE CASCADE,
    way          text NOT NULL,
    name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
    address      bytea NOT NULL,
    kinds        text[] NOT NULL,
    created_at   timestamptz NOT NULL,
    CHECK (num_nonnulls(user_id, workspace_id) = 1)
);
CREATE INDEX notice_way_of_user ON notice_way (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX notice_way_of_workspace ON notice_way (workspace_id) WHERE workspace_id IS NOT NULL;

-- What people have been notified about a channel. A reason is told again after the channel has published or was reconnected.
CREATE TABLE notice_cause (
    channel_id uuid NOT NULL REFERENCES channel ON DELETE CASCADE,
    kind       text NOT NULL,
    code       text NOT NULL,
    told_at    timestamptz NOT NULL,
    PRIMARY KEY (channel_id, kind, code)
);

-- The messages that the application shows to a person.
CREATE TABLE notice (
    id           uuid PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    kind         text NOT NULL,
    content      jsonb NOT NULL,
    created_at   timestamptz NOT NULL,
    read_at      timestamptz
);
CREATE INDEX notice_of_user ON notice (user_id, workspace_id, created_at);
CREATE INDEX notice_by_age ON notice (created_at);

-- The kinds that the application does not show to a person, and the quiet hours in minutes of the day.
ALTER TABLE app_user
    ADD COLUMN notices_off text[] NOT NULL DEFAULT '{}',
    ADD COLUMN quiet_from smallint NOT NULL DEFAULT 0 CHECK (quiet_from BETWEEN 0 AND 1439),
    ADD COLUMN quiet_until smallint NOT NULL DEFAULT 0 CHECK (quiet_until BETWEEN 0 AND 1439),
    ADD COLUMN quiet_zone text NOT NULL DEFAULT 'UTC';

-- +goose Down
ALTER TABLE app_user
    DROP COLUMN quiet_zone, DROP COLUMN quiet_until, DROP COLUMN quiet_from, DROP COLUMN notices_off;
DROP TABLE notice, notice_cause, notice_way;
DELETE FROM mail WHERE way <> 'MAIL';
ALTER TABLE mail DROP COLUMN held_until, DROP COLUMN way;
