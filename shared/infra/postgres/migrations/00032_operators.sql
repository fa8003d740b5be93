-- +goose Up
-- The people who configure the installation in the application, such as the applications registered at networks. The
-- first owner of an installation is one; "admin user operator" adds and removes others.
CREATE TABLE installation_operator (
    user_id uuid PRIMARY KEY REFERENCES app_user ON DELETE CASCADE,
    since   timestamptz NOT NULL DEFAULT now()
);

-- +goose Down
DROP TABLE installation_operator;
