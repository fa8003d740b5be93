-- +goose Up
-- The position in the trace of the request or attempt that wrote the row, in the form of the header traceparent. Null
-- without a trace, as in rows of older programs.
ALTER TABLE outbox ADD COLUMN trace text;
ALTER TABLE event ADD COLUMN trace text;

-- +goose Down
ALTER TABLE outbox DROP COLUMN trace;
ALTER TABLE event DROP COLUMN trace;
