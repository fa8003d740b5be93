-- Recurring posts.
--
-- A series has a rule, and the content of the posts of the days that are not made yet. next_day and next_at are null once it
-- has ended. A day is made once, because series_day has it once: with the set of its posts, or with why it has none.

-- +goose Up
CREATE TABLE series (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    author_id    uuid NOT NULL,
    rule         jsonb NOT NULL,
    content      jsonb NOT NULL,
    next_day     date,
    next_at      timestamptz,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL
);
CREATE INDEX series_by_workspace ON series (workspace_id, id);
CREATE INDEX series_by_next ON series (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE series_day (
    series_id uuid NOT NULL REFERENCES series ON DELETE CASCADE,
    day       date NOT NULL,
    at        timestamptz NOT NULL,
    group_id  uuid,
    why       text NOT NULL,
    PRIMARY KEY (series_id, day)
);
CREATE INDEX series_day_by_group ON series_day (group_id) WHERE group_id IS NOT NULL;

-- +goose Down
DROP TABLE series_day;
DROP TABLE series;
