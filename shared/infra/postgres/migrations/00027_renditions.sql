-- +goose Up
-- Forms of an asset that networks require. Each is made once and deleted with the asset, whose row a writer locks.
CREATE TABLE media_rendition (
    media_id   uuid NOT NULL REFERENCES media,
    form       text NOT NULL,
    object_key text NOT NULL UNIQUE,
    etag       text NOT NULL,
    type       text NOT NULL,
    size       bigint NOT NULL CHECK (size > 0),
    sha256     bytea NOT NULL CHECK (octet_length(sha256) = 32),
    width      integer NOT NULL CHECK (width > 0),
    height     integer NOT NULL CHECK (height > 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (media_id, form)
);

-- +goose Down
INSERT INTO loose_object (key, delete_after)
SELECT object_key, now() + interval '1 day' FROM media_rendition ON CONFLICT DO NOTHING;
DROP TABLE media_rendition;
