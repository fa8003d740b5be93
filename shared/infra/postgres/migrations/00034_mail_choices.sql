-- +goose Up
-- The kinds of mails that a person has turned off.
ALTER TABLE app_user ADD COLUMN mails_off text[] NOT NULL DEFAULT '{}';
-- When the people of a workspace were last reminded of connections that end.
ALTER TABLE workspace ADD COLUMN reminded_at timestamptz;
-- When people were last told that posts wait for the channel; null after it was connected again.
ALTER TABLE channel ADD COLUMN loss_mailed_at timestamptz;

-- +goose Down
ALTER TABLE channel DROP COLUMN loss_mailed_at;
ALTER TABLE workspace DROP COLUMN reminded_at;
ALTER TABLE app_user DROP COLUMN mails_off;
