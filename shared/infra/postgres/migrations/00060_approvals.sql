-- The policy of approvals of workspaces and channels, and who has approved a post.
--
-- A policy is a number, so that the stricter of two is the larger: 0 none, 1 optional, 2 required, 3 two steps. A channel
-- has 0 unless it has one of its own. consents: the approvals that count, of the present content. writers: who wrote the
-- content and who changed it last. approved: the content that was approved last.

-- +goose Up
ALTER TABLE workspace ADD COLUMN approval_policy smallint NOT NULL DEFAULT 1 CHECK (approval_policy BETWEEN 0 AND 3);
ALTER TABLE channel ADD COLUMN approval_policy smallint NOT NULL DEFAULT 0 CHECK (approval_policy BETWEEN 0 AND 3);
ALTER TABLE post ADD COLUMN consents jsonb NOT NULL DEFAULT '[]';
ALTER TABLE post ADD COLUMN writers uuid[] NOT NULL DEFAULT '{}';
ALTER TABLE post ADD COLUMN approved jsonb;
CREATE INDEX post_by_decision ON post (workspace_id, approval_decided_at) WHERE approval_decided_at IS NOT NULL;

-- +goose Down
DROP INDEX post_by_decision;
ALTER TABLE post DROP COLUMN approved;
ALTER TABLE post DROP COLUMN writers;
ALTER TABLE post DROP COLUMN consents;
ALTER TABLE channel DROP COLUMN approval_policy;
ALTER TABLE workspace DROP COLUMN approval_policy;
