-- +goose Up
-- Applications that this service registered at independent servers (Mastodon), for all workspaces. The value has the
-- secret of the application, encrypted.
CREATE TABLE server_application (
    server     text NOT NULL,
    redirect   text NOT NULL,
    value      bytea NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (server, redirect)
);

-- +goose Down
DROP TABLE server_application;
