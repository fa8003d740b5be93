-- +goose Up
-- Texts for people who cannot see a file: of the file, and those of a post, by the id of the file, which replace them.
ALTER TABLE media ADD COLUMN alt_text text CHECK (char_length(alt_text) BETWEEN 1 AND 1500);
ALTER TABLE post ADD COLUMN media_alt_texts jsonb; -- null: the post has none of its own

-- +goose Down
ALTER TABLE post DROP COLUMN media_alt_texts;
ALTER TABLE media DROP COLUMN alt_text;
