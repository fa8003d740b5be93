-- Pages of the logs that are filtered. Without these indexes, a page of a rare type or state reads the whole log.
--
-- The index of deliveries leaves out the states that every delivery goes through, so that a delivery that succeeds costs
-- no more than before.

-- +goose Up
CREATE INDEX event_feed_by_type ON event (workspace_id, type, seq) WHERE seq IS NOT NULL;
CREATE INDEX delivery_not_delivered ON delivery (webhook_id, state, id DESC) WHERE state IN ('FAILED', 'CANCELLED', 'SKIPPED');

-- +goose Down
DROP INDEX delivery_not_delivered;
DROP INDEX event_feed_by_type;
