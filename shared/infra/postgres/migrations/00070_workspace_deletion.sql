-- +goose Up
-- When the workspace is deleted, and who asked for it; null: it stays. A test workspace has what its live one has.
ALTER TABLE workspace ADD COLUMN delete_at timestamptz, ADD COLUMN delete_by text NOT NULL DEFAULT '';
CREATE INDEX workspace_by_deletion ON workspace (delete_at) WHERE delete_at IS NOT NULL AND NOT is_test;

-- +goose Down
ALTER TABLE workspace DROP COLUMN delete_by, DROP COLUMN delete_at;
