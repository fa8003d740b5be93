-- +goose Up
-- An account whose conversations a network reports, to the address of this row or when it is asked. Several channels may
-- share one: the accounts of a bot. The secrets prove the origin of requests; the former one is valid until the next change.
CREATE TABLE inbound_source (
    id            uuid PRIMARY KEY,
    network       text NOT NULL,
    account       text NOT NULL,
    secret_hash   bytea,
    previous_hash bytea,
    cursor        bigint NOT NULL DEFAULT 0, -- of the last event that was asked for
    lease_owner   uuid,                      -- who asks for events
    lease_until   timestamptz,
    fault         text NOT NULL DEFAULT '',  -- of the last check; empty: the network reports
    checked_at    timestamptz,
    UNIQUE (network, account)
);

-- What the networks reported, stored before it is read. The body is empty if no channel has the account.
CREATE TABLE inbound_event (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    network     text NOT NULL,
    account     text NOT NULL,
    key         text NOT NULL,
    kind        text NOT NULL,
    occurred_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    body        bytea NOT NULL,
    state       text NOT NULL DEFAULT 'NEW' CHECK (state IN ('NEW', 'DONE', 'FAILED', 'SKIPPED')),
    tries       integer NOT NULL DEFAULT 0,
    next_at     timestamptz NOT NULL DEFAULT now(),
    reader      integer NOT NULL DEFAULT 0, -- the version that failed
    error       text NOT NULL DEFAULT '',
    UNIQUE (network, account, key)
);
CREATE INDEX inbound_event_to_read ON inbound_event (next_at, id) WHERE state = 'NEW';
CREATE INDEX inbound_event_failed ON inbound_event (network, reader) WHERE state = 'FAILED';
CREATE INDEX inbound_event_by_age ON inbound_event (received_at);

-- The channels that a bot takes part in. The network may change the ID of a connection.
CREATE TABLE inbound_connection (
    network     text NOT NULL,
    account     text NOT NULL,
    connection  text NOT NULL,
    external_id text NOT NULL, -- of the channel
    name        text NOT NULL,
    username    text NOT NULL,
    enabled     boolean NOT NULL,
    may_reply   boolean NOT NULL,
    at          timestamptz NOT NULL,
    PRIMARY KEY (network, account, connection)
);
-- The channels of a bot or a number, for each report.
CREATE INDEX channel_by_inbound_account ON channel (type, split_part(external_id, ':', 1))
    WHERE type IN ('TELEGRAM_BUSINESS', 'WHATSAPP_BUSINESS');

CREATE INDEX inbound_connection_by_channel ON inbound_connection (network, external_id, at);

CREATE TABLE person (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    name         text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX person_by_workspace ON person (workspace_id, id);

-- By which a network names a person.
CREATE TABLE person_identity (
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    network      text NOT NULL,
    value        text NOT NULL,
    person_id    uuid NOT NULL REFERENCES person ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    name         text NOT NULL,
    username     text NOT NULL,
    seen_at      timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, network, value)
);
CREATE INDEX person_identity_by_person ON person_identity (person_id);

CREATE TABLE conversation (
    id            uuid PRIMARY KEY,
    workspace_id  uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    channel_id    uuid NOT NULL REFERENCES channel ON DELETE CASCADE,
    kind          text NOT NULL CHECK (kind IN ('MESSAGES', 'COMMENTS', 'MENTION', 'REVIEW')),
    thread        text NOT NULL,
    person_id     uuid NOT NULL REFERENCES person DEFERRABLE INITIALLY DEFERRED,
    state         text NOT NULL CHECK (state IN ('OPEN', 'SNOOZED', 'CLOSED', 'SPAM')),
    assignee_id   uuid REFERENCES app_user ON DELETE SET NULL,
    snoozed_until timestamptz,
    last_at       timestamptz NOT NULL,
    last_in_at    timestamptz,
    last_out_at   timestamptz,
    preview       text NOT NULL DEFAULT '',
    claimed_by    uuid REFERENCES app_user ON DELETE SET NULL,
    claimed_until timestamptz,
    revision      bigint NOT NULL DEFAULT 1,
    changed_at    timestamptz NOT NULL DEFAULT now(),
    UNIQUE (channel_id, kind, thread),
    CHECK ((state = 'SNOOZED') = (snoozed_until IS NOT NULL))
);
CREATE INDEX conversation_by_state ON conversation (workspace_id, state, last_at DESC, id DESC);
CREATE INDEX conversation_by_assignee ON conversation (workspace_id, assignee_id, last_at DESC, id DESC) WHERE assignee_id IS NOT NULL;
CREATE INDEX conversation_by_change ON conversation (workspace_id, changed_at);
CREATE INDEX conversation_by_person ON conversation (person_id);
CREATE INDEX conversation_snoozed ON conversation (snoozed_until) WHERE state = 'SNOOZED';

CREATE TABLE message (
    id              uuid PRIMARY KEY,
    conversation_id uuid NOT NULL REFERENCES conversation ON DELETE CASCADE,
    workspace_id    uuid NOT NULL,
    channel_id      uuid NOT NULL,
    direction       text NOT NULL CHECK (direction IN ('IN', 'OUT', 'NOTE')),
    external_id     text, -- null: the network has not named it yet, or does not have it
    user_id         uuid REFERENCES app_user ON DELETE SET NULL,
    text            text NOT NULL,
    reply_to        text NOT NULL DEFAULT '',
    unsupported     text NOT NULL DEFAULT '',
    sent_at         timestamptz NOT NULL,
    edited_at       timestamptz,
    version         bigint NOT NULL DEFAULT 0,
    deleted_at      timestamptz,
    state           text CHECK (state IN ('QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'UNKNOWN')),
    failure_code    text NOT NULL DEFAULT '',
    failure_message text NOT NULL DEFAULT '',
    price           text NOT NULL DEFAULT '', -- the category by which the network bills it
    heard_at        timestamptz, -- when the workflow of an answer was asked for
    CHECK (deleted_at IS NULL OR text = '')
);
CREATE UNIQUE INDEX message_by_name ON message (channel_id, external_id);
CREATE INDEX message_by_conversation ON message (conversation_id, sent_at, id);
CREATE INDEX message_text ON message USING gin ((ARRAY[workspace_id]), search_words(text), text gin_trgm_ops)
    WITH (fastupdate = on, gin_pending_list_limit = 512);
CREATE INDEX message_queued ON message (heard_at) WHERE state = 'QUEUED';

-- Attempts to send an answer, as those of posts: while one is in the fence, no other may send.
CREATE TABLE reply_attempt (
    message_id      uuid NOT NULL REFERENCES message ON DELETE CASCADE,
    n               integer NOT NULL,
    state           text NOT NULL CHECK (state IN ('SENT', 'UNKNOWN', 'CONFIRMED', 'REJECTED', 'ABANDONED')),
    sent_at         timestamptz NOT NULL,
    finished_at     timestamptz,
    external_id     text,
    failure_class   text,
    failure_code    text,
    failure_message text,
    PRIMARY KEY (message_id, n)
);
CREATE UNIQUE INDEX reply_attempt_fence ON reply_attempt (message_id) WHERE state IN ('SENT', 'UNKNOWN', 'CONFIRMED');

-- What each member has read.
CREATE TABLE conversation_read (
    conversation_id uuid NOT NULL REFERENCES conversation ON DELETE CASCADE,
    user_id         uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    read_at         timestamptz NOT NULL, -- the time of the last message that was shown
    PRIMARY KEY (conversation_id, user_id)
);
CREATE INDEX conversation_read_by_user ON conversation_read (user_id);

-- What members did with a conversation.
CREATE TABLE conversation_entry (
    id              uuid PRIMARY KEY,
    conversation_id uuid NOT NULL REFERENCES conversation ON DELETE CASCADE,
    user_id         uuid REFERENCES app_user ON DELETE SET NULL,
    kind            text NOT NULL,
    detail          text NOT NULL DEFAULT '',
    at              timestamptz NOT NULL
);
CREATE INDEX conversation_entry_by_conversation ON conversation_entry (conversation_id, at, id);

ALTER TABLE outbox
    DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check
        CHECK (kind IN ('post', 'restart', 'delivery', 'import', 'media', 'redelivery', 'replay', 'insights', 'mail', 'reply'));

-- +goose Down
DELETE FROM outbox WHERE kind = 'reply';
ALTER TABLE outbox
    DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check
        CHECK (kind IN ('post', 'restart', 'delivery', 'import', 'media', 'redelivery', 'replay', 'insights', 'mail'));
DROP INDEX channel_by_inbound_account;
DROP TABLE conversation_entry, conversation_read, reply_attempt, message, conversation, person_identity, person,
    inbound_connection, inbound_event, inbound_source;
