-- +goose Up
-- The longest time for which a due post waits for its channel to be connected again. Zero: it fails at once.
ALTER TABLE workspace ADD COLUMN reconnect_hold_seconds integer NOT NULL DEFAULT 86400
    CHECK (reconnect_hold_seconds BETWEEN 0 AND 604800);
-- The posts that wait for their channel.
CREATE INDEX post_held ON post (channel_id) WHERE status = 'SCHEDULED' AND waiting_reason = 'channel_reconnect';

-- +goose Down
DROP INDEX post_held;
ALTER TABLE workspace DROP COLUMN reconnect_hold_seconds;
