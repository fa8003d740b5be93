-- +goose Up
-- The lowest UUIDv7 of a millisecond: where the rows begin that were made from then on.
-- +goose StatementBegin
CREATE FUNCTION uuid_v7_at(at timestamptz) RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT (lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;
-- +goose StatementEnd

ALTER TABLE webhook
    -- After a rotation the secret from before signs beside the new one for a while; sealed like it.
    ADD COLUMN previous_secret       bytea,
    ADD COLUMN previous_secret_until timestamptz,
    -- Its last attempt failed: one request at a time, until one succeeds.
    ADD COLUMN is_failing            boolean NOT NULL DEFAULT false,
    ADD CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL));

-- The requests that may be under way to an endpoint at a time, one row each. Taking one is an update that skips locked
-- rows: exact however many workers there are, and nobody ever waits for a lock.
CREATE TABLE webhook_place (
    webhook_id uuid NOT NULL REFERENCES webhook ON DELETE CASCADE,
    n          smallint NOT NULL CHECK (n BETWEEN 1 AND 4),
    held_by    uuid, -- a delivery, or a redelivery
    held_until timestamptz NOT NULL DEFAULT '-infinity', -- in case the holder is never heard of again
    PRIMARY KEY (webhook_id, n)
) WITH (fillfactor = 50);
INSERT INTO webhook_place (webhook_id, n) SELECT id, n FROM webhook, generate_series(1, 4) AS n;
-- No endpoint is without its places, whichever version of the service makes it.
-- +goose StatementBegin
CREATE FUNCTION make_webhook_places() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO webhook_place (webhook_id, n) SELECT NEW.id, n FROM generate_series(1, 4) AS n;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER webhook_has_places AFTER INSERT ON webhook FOR EACH ROW EXECUTE FUNCTION make_webhook_places();

ALTER TABLE delivery
    -- Automatic attempts since it was started last; attempts counts all, redeliveries too.
    ADD COLUMN tries integer NOT NULL DEFAULT 0,
    -- While it waits for a place at its endpoint: in which lane of the line. Temporal knows nothing of it then.
    ADD COLUMN lane  smallint CHECK (lane BETWEEN 0 AND 2),
    -- How often it left the line. Each time it is another workflow.
    ADD COLUMN run   integer NOT NULL DEFAULT 0,
    DROP CONSTRAINT delivery_state_check,
    ADD CONSTRAINT delivery_state_check CHECK (state IN ('PENDING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'SKIPPED')),
    ADD CONSTRAINT delivery_lane_pending CHECK (lane IS NULL OR state = 'PENDING');
UPDATE delivery SET tries = attempts;
CREATE INDEX delivery_open ON delivery (webhook_id) WHERE state = 'PENDING';
CREATE INDEX delivery_in_line ON delivery (webhook_id, lane, event_id) WHERE lane IS NOT NULL;

-- A further attempt at a delivery that somebody asked for.
CREATE TABLE redelivery (
    id           uuid PRIMARY KEY,
    delivery_id  uuid NOT NULL REFERENCES delivery ON DELETE CASCADE,
    workspace_id uuid NOT NULL,
    webhook_id   uuid NOT NULL,
    state        text NOT NULL CHECK (state IN ('PENDING', 'DONE', 'CANCELLED')),
    created_at   timestamptz NOT NULL,
    heard_at     timestamptz NOT NULL DEFAULT now() -- its last turn, or the sweep's last word about it
);
CREATE INDEX redelivery_by_delivery ON redelivery (delivery_id);
CREATE INDEX redelivery_pending ON redelivery (webhook_id) WHERE state = 'PENDING';

ALTER TABLE delivery_attempt
    ADD COLUMN trigger text NOT NULL DEFAULT 'AUTOMATIC' CHECK (trigger IN ('AUTOMATIC', 'MANUAL', 'TEST'));

-- A range of the event log on its way into an endpoint's line.
CREATE TABLE webhook_replay (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    webhook_id   uuid NOT NULL REFERENCES webhook ON DELETE CASCADE,
    since        timestamptz NOT NULL,
    until        timestamptz NOT NULL,
    only_failed  boolean NOT NULL,
    state        text NOT NULL CHECK (state IN ('RUNNING', 'COMPLETED', 'CANCELLED')),
    after_seq    bigint NOT NULL DEFAULT 0, -- everything up to here is done
    queued       integer NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL,
    heard_at     timestamptz NOT NULL DEFAULT now(), -- as of redelivery
    completed_at timestamptz,
    CHECK (since < until)
);
CREATE UNIQUE INDEX webhook_replay_one ON webhook_replay (webhook_id) WHERE state = 'RUNNING';
CREATE INDEX webhook_replay_by_age ON webhook_replay (created_at);
CREATE INDEX webhook_replay_by_webhook ON webhook_replay (webhook_id);

-- Ranges of the log.
CREATE INDEX event_by_time ON event (workspace_id, created_at);

ALTER TABLE outbox
    DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check CHECK (kind IN ('post', 'restart', 'delivery', 'import', 'media', 'redelivery', 'replay'));

-- +goose Down
DELETE FROM outbox WHERE kind IN ('redelivery', 'replay');
ALTER TABLE outbox
    DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check CHECK (kind IN ('post', 'restart', 'delivery', 'import', 'media'));
DROP INDEX event_by_time;
DROP TRIGGER webhook_has_places ON webhook;
DROP FUNCTION make_webhook_places();
DROP TABLE webhook_replay, redelivery, webhook_place;
ALTER TABLE delivery_attempt DROP COLUMN trigger;
-- What waits in line has no workflow; the sweep of the version before finds it by its time.
UPDATE delivery SET next_attempt_at = now() WHERE lane IS NOT NULL;
DELETE FROM delivery WHERE state = 'SKIPPED';
DROP INDEX delivery_in_line, delivery_open;
ALTER TABLE delivery
    DROP CONSTRAINT delivery_lane_pending,
    DROP COLUMN tries,
    DROP COLUMN lane,
    DROP COLUMN run,
    DROP CONSTRAINT delivery_state_check,
    ADD CONSTRAINT delivery_state_check CHECK (state IN ('PENDING', 'SUCCEEDED', 'FAILED', 'CANCELLED'));
ALTER TABLE webhook
    DROP COLUMN previous_secret,
    DROP COLUMN previous_secret_until,
    DROP COLUMN is_failing;
DROP FUNCTION uuid_v7_at(timestamptz);
