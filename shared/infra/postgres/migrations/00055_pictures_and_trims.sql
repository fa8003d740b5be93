-- Small copies of the pictures that accounts have at their networks, and imports that are parts of videos of the library.
--
-- A row of channel_picture without a key belongs to an account that has no picture, or none that can be opened. Times of
-- parts are in milliseconds.

-- +goose Up
CREATE TABLE channel_picture (
    channel_id uuid PRIMARY KEY REFERENCES channel ON DELETE CASCADE,
    object_key text UNIQUE,
    read_at    timestamptz NOT NULL -- from the network
);

ALTER TABLE media_import
    ADD COLUMN trim_of    uuid, -- null: a file from an address
    ADD COLUMN trim_start bigint,
    ADD COLUMN trim_end   bigint,
    ADD CHECK ((trim_of IS NULL) = (trim_start IS NULL) AND (trim_of IS NULL) = (trim_end IS NULL)),
    ADD CHECK (trim_start >= 0 AND trim_end > trim_start);

-- +goose Down
DELETE FROM media_import WHERE trim_of IS NOT NULL;
ALTER TABLE media_import DROP COLUMN trim_of, DROP COLUMN trim_start, DROP COLUMN trim_end;
INSERT INTO loose_object (key, delete_after)
SELECT object_key, now() + interval '1 day' FROM channel_picture WHERE object_key IS NOT NULL ON CONFLICT DO NOTHING;
DROP TABLE channel_picture;
