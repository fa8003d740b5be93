-- The pause of channels, the switch that stops all publishing of a workspace, and what a waiting post can tell about its
-- wait.
--
-- overrides_pause: a person published the post although its channel is paused. confirmed: whether the network was seen
-- to show the post; null before it is published, and for posts that were published before this column existed.
-- waiting_try: the number of the next attempt. waiting_deadline: when the service gives up.

-- +goose Up
ALTER TABLE workspace ADD COLUMN publishing_stopped_at timestamptz;
ALTER TABLE workspace ADD COLUMN publishing_stopped_by text NOT NULL DEFAULT '';
ALTER TABLE post ADD COLUMN overrides_pause boolean NOT NULL DEFAULT false;
ALTER TABLE post ADD COLUMN confirmed boolean;
ALTER TABLE post ADD COLUMN waiting_try integer NOT NULL DEFAULT 0;
ALTER TABLE post ADD COLUMN waiting_deadline timestamptz;

-- +goose Down
ALTER TABLE post DROP COLUMN waiting_deadline;
ALTER TABLE post DROP COLUMN waiting_try;
ALTER TABLE post DROP COLUMN confirmed;
ALTER TABLE post DROP COLUMN overrides_pause;
ALTER TABLE workspace DROP COLUMN publishing_stopped_by;
ALTER TABLE workspace DROP COLUMN publishing_stopped_at;
