-- Events are numbered in the order in which they were written, not by their IDs, which begin with the clocks of several
-- programs: a change of a post locks the row of the post before its event is written, so that a later change of the same
-- post gets a higher ordinal. Events from before have none and come first. Programs of an earlier version, which order by
-- ID, still find the few events without a number by the index.

-- +goose Up
CREATE SEQUENCE event_ordinal AS bigint;
ALTER TABLE event ADD ordinal bigint;
ALTER TABLE event ALTER ordinal SET DEFAULT nextval('event_ordinal');
ALTER SEQUENCE event_ordinal OWNED BY event.ordinal;
CREATE INDEX event_unnumbered ON event (ordinal NULLS FIRST, id) WHERE seq IS NULL;
DROP INDEX event_unrelayed;

-- The channels whose events an endpoint gets; null: every event, also those without a channel.
ALTER TABLE webhook ADD channel_ids uuid[] CHECK (channel_ids <> '{}');

-- +goose Down
ALTER TABLE webhook DROP channel_ids;
CREATE INDEX event_unrelayed ON event (id) WHERE seq IS NULL;
DROP INDEX event_unnumbered;
ALTER TABLE event DROP ordinal;
