-- +goose Up
-- The parts of a post: what is planned is a value of the post; each published part is a row of its own, with its own attempts and
-- its own fence. Rows of parts belong to their root, and clients see them only in it.
ALTER TABLE post
    ADD COLUMN parts       jsonb, -- the thread and the first comment
    ADD COLUMN parts_state text,
    ADD COLUMN root_id     uuid REFERENCES post (id) ON DELETE CASCADE,
    ADD COLUMN part_index  integer,
    ADD COLUMN part_kind   text,
    ADD CONSTRAINT post_part_whole CHECK (num_nulls(root_id, part_index, part_kind) IN (0, 3)),
    ADD CONSTRAINT post_parts_state CHECK ((parts IS NULL) = (parts_state IS NULL));
CREATE INDEX post_part ON post (root_id) WHERE root_id IS NOT NULL;
CREATE INDEX post_incomplete ON post (workspace_id) WHERE parts_state = 'INCOMPLETE';

-- +goose Down
DELETE FROM post WHERE root_id IS NOT NULL;
ALTER TABLE post DROP COLUMN part_kind, DROP COLUMN part_index, DROP COLUMN root_id, DROP COLUMN parts_state, DROP COLUMN parts;
