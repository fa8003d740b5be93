-- Sets of posts, and the names that people and programs give to posts.
--
-- group_id: the set with which the post was created; null for a post created alone, whose set is its own id. own_members:
-- the members in which a post of a set differs from the base of its set. labels are shown as they are, label_keys are the
-- same without case, to be compared.

-- +goose Up
ALTER TABLE post
    ADD COLUMN group_id    uuid,
    ADD COLUMN own_members text[] NOT NULL DEFAULT '{}',
    ADD COLUMN labels      text[] NOT NULL DEFAULT '{}',
    ADD COLUMN label_keys  text[] NOT NULL DEFAULT '{}',
    ADD COLUMN external_id text CHECK (char_length(external_id) BETWEEN 1 AND 200),
    ADD COLUMN metadata    jsonb,
    ADD CHECK (cardinality(labels) = cardinality(label_keys));
-- Posts without a set, labels or an external id take no place in these indexes.
CREATE INDEX post_by_group ON post (workspace_id, group_id) WHERE group_id IS NOT NULL;
CREATE INDEX post_labelled ON post (workspace_id, id) WHERE label_keys <> '{}';
CREATE UNIQUE INDEX post_external_id ON post (workspace_id, external_id, channel_id) WHERE external_id IS NOT NULL;

-- The labels of a workspace. A label is created when a post first has it.
CREATE TABLE label (
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    key          text NOT NULL, -- the name without case
    name         text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 50),
    color        text NOT NULL CHECK (color ~ '^#[0-9a-f]{6}$'),
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, key)
);

-- +goose Down
DROP TABLE label;
ALTER TABLE post DROP COLUMN metadata, DROP COLUMN external_id, DROP COLUMN label_keys, DROP COLUMN labels,
    DROP COLUMN own_members, DROP COLUMN group_id;
