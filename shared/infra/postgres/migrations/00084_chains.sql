-- +goose Up
-- The post that must be published before this one. It has no foreign key: a post may be deleted while another one waits for it.
ALTER TABLE post
    ADD COLUMN after_id      uuid,
    ADD COLUMN after_delay   integer, -- seconds
    ADD COLUMN after_failure text,
    ADD CONSTRAINT post_after_whole CHECK (num_nulls(after_id, after_delay, after_failure) IN (0, 3));
CREATE INDEX post_successor ON post (after_id) WHERE after_id IS NOT NULL;

-- +goose Down
ALTER TABLE post DROP COLUMN after_failure, DROP COLUMN after_delay, DROP COLUMN after_id;
