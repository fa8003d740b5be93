-- +goose Up
-- The list of posts is filtered by author.
CREATE INDEX post_by_author ON post (workspace_id, author_id, created_at, id) WHERE author_id IS NOT NULL;

-- +goose Down
DROP INDEX post_by_author;
