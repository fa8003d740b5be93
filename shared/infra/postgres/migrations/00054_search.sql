-- Search without computing the words of every post that it considers.
--
-- PostgreSQL checks the conditions of a search again on each row that groups of three letters have found. The words of
-- a text are expensive to compute, so the workspace and the labels are columns of their own. The workspace is an
-- array, so that no other index has the condition, whatever statistics say.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION search_words(content text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT pg_catalog.to_tsvector('pg_catalog.simple', pg_catalog.left(content, 20000))
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

DROP INDEX post_text, media_text;
DROP FUNCTION search_words(uuid, text, text[]);
CREATE INDEX post_text ON post USING gin (
    (ARRAY[workspace_id]), label_keys, search_words(content || ' ' || title), (content || ' ' || title) gin_trgm_ops
) WITH (fastupdate = on, gin_pending_list_limit = 512);
CREATE INDEX media_text ON media USING gin (
    (ARRAY[workspace_id]), search_words(name || ' ' || COALESCE(alt_text, '')), (name || ' ' || COALESCE(alt_text, '')) gin_trgm_ops
) WITH (fastupdate = on, gin_pending_list_limit = 512);

-- +goose Down
DROP INDEX post_text, media_text;
DROP FUNCTION search_words(text);
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
