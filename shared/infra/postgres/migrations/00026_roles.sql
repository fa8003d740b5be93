-- +goose Up
-- The memberships that exist allowed everything.
ALTER TABLE workspace_member
    ADD COLUMN role text NOT NULL DEFAULT 'OWNER'
        CHECK (role IN ('OWNER', 'ADMIN', 'EDITOR', 'CONTRIBUTOR', 'VIEWER'));
ALTER TABLE workspace_member ALTER COLUMN role DROP DEFAULT;

-- +goose Down
ALTER TABLE workspace_member DROP COLUMN role;
