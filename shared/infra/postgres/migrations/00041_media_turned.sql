-- +goose Up
-- Whether metadata says how to turn the stored pixels of a picture upright. False for files processed earlier: they are
-- sent as before.
ALTER TABLE media ADD COLUMN turned boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE media DROP COLUMN turned;
