-- +goose Up
-- The person who wrote the post, also through a program; null for a post of an API key.
ALTER TABLE post ADD COLUMN author_id uuid;
-- Posts about which people are to be mailed, until the mail of their workspace and kind is due.
CREATE TABLE post_notice (
    post_id      uuid NOT NULL,
    kind         text NOT NULL,
    workspace_id uuid NOT NULL,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (post_id, kind)
);
CREATE INDEX post_notice_due ON post_notice (workspace_id, kind, created_at);
-- When people of the workspace were last mailed about posts.
CREATE TABLE post_notice_mailed (
    workspace_id uuid NOT NULL REFERENCES workspace (id) ON DELETE CASCADE,
    kind         text NOT NULL,
    mailed_at    timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, kind)
);

-- The person has turned the keyboard shortcuts of a single key off (WCAG 2.1.4).
ALTER TABLE app_user ADD COLUMN shortcuts_off boolean NOT NULL DEFAULT false;

-- The headers of the request and of the response of an attempt, one a line; null for attempts before this version.
ALTER TABLE delivery_attempt ADD COLUMN request_headers text, ADD COLUMN response_headers text;

-- +goose Down
ALTER TABLE delivery_attempt DROP COLUMN response_headers, DROP COLUMN request_headers;
ALTER TABLE app_user DROP COLUMN shortcuts_off;
DROP TABLE post_notice_mailed;
DROP TABLE post_notice;
ALTER TABLE post DROP COLUMN author_id;
