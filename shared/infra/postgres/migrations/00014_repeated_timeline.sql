-- +goose Up
-- An entry that repeats counts instead of being added again: the same detail in the same plan (revision) is one entry.
-- Entries without a revision happen once.
ALTER TABLE post_timeline
    ADD COLUMN revision integer,
    ADD COLUMN count    integer NOT NULL DEFAULT 1,
    ADD COLUMN last_at  timestamptz, -- null: at
    ADD COLUMN next_at  timestamptz; -- when the service looks or tries again
CREATE UNIQUE INDEX post_timeline_repeated ON post_timeline (post_id, revision, detail) WHERE revision IS NOT NULL;

-- +goose Down
DROP INDEX post_timeline_repeated;
ALTER TABLE post_timeline DROP COLUMN next_at, DROP COLUMN last_at, DROP COLUMN count, DROP COLUMN revision;
