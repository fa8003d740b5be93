-- Notes on days of the calendar, and the countries (ISO 3166-1) whose holidays it shows.

-- +goose Up
CREATE TABLE calendar_note (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    day          date NOT NULL,
    content      text NOT NULL CHECK (char_length(content) BETWEEN 1 AND 500),
    author       text NOT NULL,
    created_at   timestamptz NOT NULL
);
CREATE INDEX calendar_note_by_day ON calendar_note (workspace_id, day);
ALTER TABLE workspace ADD COLUMN holiday_countries text[] NOT NULL DEFAULT '{}';

-- +goose Down
ALTER TABLE workspace DROP COLUMN holiday_countries;
DROP TABLE calendar_note;
