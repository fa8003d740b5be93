-- Scratches: what a person writes in the composer, saved while they type. Nothing else of the service reads them.
--
-- content is the form of the composer. version counts the saves, so that a save from another tab or device is noticed.

-- +goose Up
CREATE TABLE scratch (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    user_id      uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    content      jsonb NOT NULL,
    version      integer NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL
);
CREATE INDEX scratch_by_person ON scratch (workspace_id, user_id, updated_at, id);
CREATE INDEX scratch_by_age ON scratch (updated_at);

-- +goose Down
DROP TABLE scratch;
