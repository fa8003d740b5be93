-- +goose Up
-- From when any worker may delete what the preparation of a failed post left on its network; null: nothing to delete.
ALTER TABLE publish_attempt ADD COLUMN discard_after timestamptz;
CREATE INDEX publish_attempt_discard ON publish_attempt (discard_after) WHERE discard_after IS NOT NULL;

-- +goose Down
DROP INDEX publish_attempt_discard;
ALTER TABLE publish_attempt DROP COLUMN discard_after;
