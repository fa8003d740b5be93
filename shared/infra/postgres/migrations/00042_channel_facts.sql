-- What networks say about an account that decides what the account may publish, such as a subscription.

-- +goose Up
ALTER TABLE channel ADD COLUMN facts jsonb NOT NULL DEFAULT '{}';

-- +goose Down
ALTER TABLE channel DROP COLUMN facts;
