-- +goose Up
-- A UUIDv7 (RFC 9562, section 5.7) for rows that a statement makes: 48 bits of Unix milliseconds, then random bits.
-- +goose StatementBegin
CREATE FUNCTION uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
    SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
        FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;
-- +goose StatementEnd

CREATE TABLE event (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    -- Given by the relay, in the order in which it sees events committed; null until then. A reader that follows the
    -- sequence misses nothing, and no transaction ever waits for another to be numbered.
    seq          bigint,
    type         text NOT NULL,
    webhook_id   uuid, -- set for events meant for one endpoint alone (webhook.test)
    body         bytea NOT NULL CHECK (octet_length(body) <= 65536),
    created_at   timestamptz NOT NULL
);
CREATE UNIQUE INDEX event_feed ON event (workspace_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX event_unrelayed ON event (id) WHERE seq IS NULL;

CREATE TABLE webhook (
    id                   uuid PRIMARY KEY,
    workspace_id         uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    url                  text NOT NULL,
    description          text NOT NULL DEFAULT '',
    events               text[] NOT NULL,
    is_active            boolean NOT NULL DEFAULT true,
    consecutive_failures integer NOT NULL DEFAULT 0,
    disabled_at          timestamptz,
    disabled_reason      text,
    secret               bytea NOT NULL, -- sealed; see secretbox
    created_at           timestamptz NOT NULL,
    updated_at           timestamptz NOT NULL,
    deleted_at           timestamptz
);
CREATE INDEX webhook_by_workspace ON webhook (workspace_id, id) WHERE deleted_at IS NULL;

CREATE TABLE delivery (
    id              uuid PRIMARY KEY,
    workspace_id    uuid NOT NULL,
    webhook_id      uuid NOT NULL REFERENCES webhook ON DELETE CASCADE,
    event_id        uuid NOT NULL REFERENCES event ON DELETE CASCADE,
    state           text NOT NULL CHECK (state IN ('PENDING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
    attempts        integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz,
    created_at      timestamptz NOT NULL,
    completed_at    timestamptz,
    UNIQUE (event_id, webhook_id)
);
CREATE INDEX delivery_by_webhook ON delivery (webhook_id, id DESC);
CREATE INDEX delivery_pending ON delivery (next_attempt_at) WHERE state = 'PENDING';

CREATE TABLE delivery_attempt (
    delivery_id uuid NOT NULL REFERENCES delivery ON DELETE CASCADE,
    n           integer NOT NULL,
    started_at  timestamptz NOT NULL,
    duration_ms integer NOT NULL,
    status_code integer,
    response    text,
    error_class text,
    PRIMARY KEY (delivery_id, n)
);

-- What Temporal must still be told. A row lives from the commit that needs it until the relay has told Temporal.
CREATE TABLE outbox (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind       text NOT NULL CHECK (kind IN ('post', 'restart', 'delivery')), -- restart: start it only if it does not run
    subject    uuid NOT NULL,
    payload    jsonb NOT NULL,
    not_before timestamptz NOT NULL DEFAULT '-infinity',
    tries      integer NOT NULL DEFAULT 0,
    last_error text,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX outbox_ready ON outbox (not_before, id);

-- Which Temporal store the workflows were started in. When it is another one, they are all started again.
CREATE TABLE temporal_store (
    namespace    text PRIMARY KEY,
    namespace_id text NOT NULL,
    seen_at      timestamptz NOT NULL
);

-- +goose Down
DROP TABLE temporal_store, outbox, delivery_attempt, delivery, webhook, event;
DROP FUNCTION uuid_v7();
