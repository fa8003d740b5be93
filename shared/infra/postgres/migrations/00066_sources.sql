-- Feeds of other sites whose items become drafts.
--
-- An item becomes a draft once, because source_item has it once.

-- +goose Up
CREATE TABLE source (
    id            uuid PRIMARY KEY,
    workspace_id  uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    author_id     uuid NOT NULL,
    url           text NOT NULL,
    title         text NOT NULL,
    template      text NOT NULL,
    channel_ids   uuid[] NOT NULL,
    paused        boolean NOT NULL,
    failures      integer NOT NULL,
    fault         text NOT NULL,
    etag          text NOT NULL,
    last_modified text NOT NULL,
    read_at       timestamptz,
    next_at       timestamptz NOT NULL,
    created_at    timestamptz NOT NULL,
    UNIQUE (workspace_id, url)
);
CREATE INDEX source_by_next ON source (next_at) WHERE NOT paused;

CREATE TABLE source_item (
    source_id uuid NOT NULL REFERENCES source ON DELETE CASCADE,
    key       bytea NOT NULL CHECK (octet_length(key) = 32),
    seen_at   timestamptz NOT NULL,
    PRIMARY KEY (source_id, key)
);

-- +goose Down
DROP TABLE source_item;
DROP TABLE source;
