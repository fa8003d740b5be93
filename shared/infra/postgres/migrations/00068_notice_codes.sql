-- +goose Up
-- The codes with which people start the bot on Telegram, and the chats from which they came.
CREATE TABLE notice_code (
    hash         bytea PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    workspace_id uuid REFERENCES workspace ON DELETE CASCADE, -- whose chat it becomes; NULL: the person's
    chat         text,
    name         text,
    expires_at   timestamptz NOT NULL
);
CREATE INDEX notice_code_by_user ON notice_code (user_id);
CREATE INDEX notice_code_by_workspace ON notice_code (workspace_id) WHERE workspace_id IS NOT NULL;
CREATE INDEX notice_code_by_end ON notice_code (expires_at);

-- +goose Down
DROP TABLE notice_code;
