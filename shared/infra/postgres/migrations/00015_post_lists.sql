-- +goose Up
-- Lists of posts: every filter in every order. The id decides between posts of the same time.
CREATE INDEX post_by_workspace_created ON post (workspace_id, created_at, id);
CREATE INDEX post_by_channel_created ON post (workspace_id, channel_id, created_at, id);
CREATE INDEX post_by_status_created ON post (workspace_id, status, created_at, id);
-- Posts without a time lie behind those with one. Both parts are read in either direction.
CREATE INDEX post_by_workspace_scheduled ON post (workspace_id, scheduled_at, id);
CREATE INDEX post_by_channel_scheduled ON post (workspace_id, channel_id, scheduled_at, id);
CREATE INDEX post_by_status_scheduled ON post (workspace_id, status, scheduled_at, id);
DROP INDEX post_by_workspace, post_by_channel, post_by_status;

-- +goose Down
CREATE INDEX post_by_workspace ON post (workspace_id, id DESC);
CREATE INDEX post_by_channel ON post (channel_id, id DESC);
CREATE INDEX post_by_status ON post (workspace_id, status, id DESC);
DROP INDEX post_by_workspace_created, post_by_channel_created, post_by_status_created,
    post_by_workspace_scheduled, post_by_channel_scheduled, post_by_status_scheduled;
