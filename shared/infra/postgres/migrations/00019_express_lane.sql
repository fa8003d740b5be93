-- +goose Up
-- The state of the express lane of webhook deliveries, in one row, because the relays of all programs read it:
-- seen_at is when a lane last reported that it works, busy_until is the time until which Temporal counts as late.
CREATE TABLE express_lane (
    one        boolean PRIMARY KEY DEFAULT true CHECK (one),
    seen_at    timestamptz NOT NULL DEFAULT '-infinity',
    busy_until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 10);
INSERT INTO express_lane DEFAULT VALUES;

-- Deliveries leave the index of the urgent lane: the relay takes those that Temporal has not been called for apart from
-- other messages, because a slow call for another message must not keep them. The express lane takes reserved deliveries
-- (2) in turns between workspaces, too. A workflow looks for the lease of its delivery (3). outbox_waiting finds
-- deliveries that Temporal has not taken.
DROP INDEX outbox_express, outbox_urgent;
CREATE INDEX outbox_urgent ON outbox (workspace_id, due_at, id) WHERE lane = 0 AND kind <> 'delivery';
CREATE INDEX outbox_first ON outbox (workspace_id, due_at, id) WHERE lane = 0 AND kind = 'delivery' AND tries = 0;
CREATE INDEX outbox_deliveries ON outbox (workspace_id, due_at, id) WHERE lane = 0 AND kind = 'delivery' AND tries > 0;
CREATE INDEX outbox_waiting ON outbox (created_at) WHERE lane = 0 AND kind = 'delivery';
CREATE INDEX outbox_reserved ON outbox (workspace_id, due_at, id) WHERE lane = 2;
CREATE INDEX outbox_leased ON outbox (not_before, id) WHERE lane = 3;
CREATE INDEX outbox_lease_of ON outbox (subject) WHERE lane = 3;

-- +goose Down
DROP INDEX outbox_urgent, outbox_first, outbox_deliveries, outbox_waiting, outbox_reserved, outbox_leased,
    outbox_lease_of;
CREATE INDEX outbox_urgent ON outbox (workspace_id, due_at, id) WHERE lane = 0;
CREATE INDEX outbox_express ON outbox (not_before, id) WHERE lane IN (2, 3);
UPDATE outbox SET not_before = now() WHERE lane = 2;
DROP TABLE express_lane;
