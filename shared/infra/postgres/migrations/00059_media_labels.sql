-- Labels of files, which searches of files find too.
--
-- labels are shown as they are, label_keys are the same in lower case, for comparing.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION media_words(name text, alt_text text, labels text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT name || ' ' || COALESCE(alt_text, '') || ' ' || pg_catalog.array_to_string(labels, ' ')
$$;
-- +goose StatementEnd
ALTER TABLE media
    ADD COLUMN labels     text[] NOT NULL DEFAULT '{}',
    ADD COLUMN label_keys text[] NOT NULL DEFAULT '{}',
    ADD CHECK (cardinality(labels) = cardinality(label_keys));
-- Files without labels take no place in this index.
CREATE INDEX media_labelled ON media (workspace_id, id) WHERE label_keys <> '{}';
DROP INDEX media_text;
CREATE INDEX media_text ON media USING gin (
    (ARRAY[workspace_id]), label_keys, search_words(media_words(name, alt_text, labels)), media_words(name, alt_text, labels) gin_trgm_ops
) WITH (fastupdate = on, gin_pending_list_limit = 512);

-- +goose Down
DROP INDEX media_text, media_labelled;
ALTER TABLE media DROP COLUMN label_keys, DROP COLUMN labels;
DROP FUNCTION media_words(text, text, text[]);
CREATE INDEX media_text ON media USING gin (
    (ARRAY[workspace_id]), search_words(name || ' ' || COALESCE(alt_text, '')), (name || ' ' || COALESCE(alt_text, '')) gin_trgm_ops
) WITH (fastupdate = on, gin_pending_list_limit = 512);
