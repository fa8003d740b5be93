-- Search in posts and media, and the remaining orders and filters of lists.
--
-- pg_trgm is a trusted extension: the owner of the database may create it. It finds parts of words of three letters or
-- more. search_words has whole words, the pairs of letters of scripts without spaces between words (Chinese, Japanese,
-- Korean, whose words have one or two letters), the labels, and the workspace, so that a search reads nothing of others.
-- It has the first 20,000 characters, because a tsvector has a maximum size. The lists of changes that wait for a GIN
-- index are short, because each search reads them.
--
-- The indexes of a channel's posts also have the status: lists of several channels and states are merged from them.

-- +goose Up
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- +goose StatementBegin
CREATE FUNCTION search_words(workspace uuid, content text, labels text[]) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT pg_catalog.to_tsvector('pg_catalog.simple', pg_catalog.left(content, 20000))
    || pg_catalog.array_to_tsvector(ARRAY['w:' || workspace::text] || ARRAY(SELECT 'l:' || l FROM pg_catalog.unnest(labels) AS l))
    || CASE WHEN content ~ '[\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc-\u30fe\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]' THEN pg_catalog.array_to_tsvector(ARRAY(
        SELECT DISTINCT letter || CASE WHEN next ~ unspaced THEN next ELSE '' END
        FROM (
            SELECT letter, pg_catalog.lead(letter) OVER (ORDER BY n) AS next, '[\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc-\u30fe\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]' AS unspaced
            FROM pg_catalog.string_to_table(pg_catalog.left(content, 20000), NULL) WITH ORDINALITY AS x(letter, n)
        ) AS pair
        WHERE letter ~ unspaced))
        ELSE '' END
$$;
-- +goose StatementEnd

CREATE INDEX post_text ON post USING gin (
    search_words(workspace_id, content || ' ' || title, label_keys), (content || ' ' || title) gin_trgm_ops
) WITH (fastupdate = on, gin_pending_list_limit = 512);
CREATE INDEX media_text ON media USING gin (
    search_words(workspace_id, name || ' ' || COALESCE(alt_text, ''), '{}'), (name || ' ' || COALESCE(alt_text, '')) gin_trgm_ops
) WITH (fastupdate = on, gin_pending_list_limit = 512);

CREATE INDEX post_by_workspace_updated ON post (workspace_id, updated_at, id);
DROP INDEX post_by_channel_created, post_by_channel_scheduled;
CREATE INDEX post_by_channel_created ON post (workspace_id, channel_id, status, created_at, id);
CREATE INDEX post_by_channel_scheduled ON post (workspace_id, channel_id, status, scheduled_at, id);

-- +goose Down
DROP INDEX post_by_channel_created, post_by_channel_scheduled;
CREATE INDEX post_by_channel_created ON post (workspace_id, channel_id, created_at, id);
CREATE INDEX post_by_channel_scheduled ON post (workspace_id, channel_id, scheduled_at, id);
DROP INDEX post_by_workspace_updated, media_text, post_text;
DROP FUNCTION search_words(uuid, text, text[]);
DROP EXTENSION pg_trgm;
