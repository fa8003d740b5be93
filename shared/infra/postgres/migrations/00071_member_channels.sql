-- +goose Up
-- The channels to which a member is limited; null: every channel, also those that are connected later.
ALTER TABLE workspace_member ADD COLUMN channels uuid[];
ALTER TABLE invitation ADD COLUMN channels uuid[];

-- +goose Down
ALTER TABLE invitation DROP COLUMN channels;
ALTER TABLE workspace_member DROP COLUMN channels;
