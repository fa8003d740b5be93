-- Searches of many posts that end with the newest ones: the index has the period in which a post was created.
--
-- A period is 2^22 seconds, 48 days. As an array, no other index has the condition, whatever statistics say.

-- +goose Up
DROP INDEX post_text;
CREATE INDEX post_text ON post USING gin (
    (ARRAY[workspace_id]), (ARRAY[CAST(extract(epoch FROM created_at AT TIME ZONE 'UTC') AS bigint) >> 22]), label_keys,
    search_words(content || ' ' || title), (content || ' ' || title) gin_trgm_ops
) WITH (fastupdate = on, gin_pending_list_limit = 512);

-- +goose Down
DROP INDEX post_text;
CREATE INDEX post_text ON post USING gin (
    (ARRAY[workspace_id]), label_keys, search_words(content || ' ' || title), (content || ' ' || title) gin_trgm_ops
) WITH (fastupdate = on, gin_pending_list_limit = 512);
