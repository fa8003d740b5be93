-- +goose Up
-- The digests that a person wants, and the hour of the day at which they come, in the zone of the quiet hours.
ALTER TABLE app_user
    ADD COLUMN digests text[] NOT NULL DEFAULT '{}',
    ADD COLUMN digest_hour smallint NOT NULL DEFAULT 8 CHECK (digest_hour BETWEEN 0 AND 23);
CREATE INDEX app_user_with_digests ON app_user (id) WHERE digests <> '{}';

-- The digests that were sent, or that had nothing to say. The key makes one for each day of the person.
CREATE TABLE digest_day (
    user_id      uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    kind         text NOT NULL,
    day          date NOT NULL,
    PRIMARY KEY (user_id, workspace_id, kind, day)
);
CREATE INDEX digest_day_by_workspace ON digest_day (workspace_id);
CREATE INDEX digest_day_by_day ON digest_day (day);

-- +goose Down
DROP TABLE digest_day;
DROP INDEX app_user_with_digests;
ALTER TABLE app_user DROP COLUMN digest_hour, DROP COLUMN digests;
