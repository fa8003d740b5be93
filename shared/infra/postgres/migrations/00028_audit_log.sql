-- +goose Up
-- Actions on a workspace. Names are those at the time of the action, so that entries stay readable.
CREATE TABLE audit_entry (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    at           timestamptz NOT NULL,
    user_id      uuid REFERENCES app_user ON DELETE SET NULL,
    actor        text NOT NULL,
    action       text NOT NULL,
    subject      text NOT NULL,
    detail       text NOT NULL
);
CREATE INDEX audit_entry_by_workspace ON audit_entry (workspace_id, id);
CREATE INDEX audit_entry_by_user ON audit_entry (user_id) WHERE user_id IS NOT NULL;

-- +goose Down
DROP TABLE audit_entry;
