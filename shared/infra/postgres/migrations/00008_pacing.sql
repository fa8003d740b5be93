-- +goose Up
-- Channels whose network has limited them. A row goes when the network lets the channel in again.
CREATE TABLE channel_limit (
    channel_id uuid PRIMARY KEY REFERENCES channel ON DELETE CASCADE,
    until      timestamptz NOT NULL, -- nobody calls the network before
    probing    boolean NOT NULL DEFAULT false, -- one post is finding out whether the limit is over, and has until then
    line       timestamptz NOT NULL -- the last place of those who wait
);

-- +goose Down
DROP TABLE channel_limit;
