-- +goose Up
ALTER TABLE post
    ADD COLUMN options jsonb CHECK (jsonb_typeof(options) = 'object'), -- null for posts of the generic endpoint
    ADD COLUMN archived_from text CHECK (archived_from IN ('DRAFT', 'PUBLISHED', 'FAILED')),
    ADD CHECK ((status = 'ARCHIVED') = (archived_from IS NOT NULL)),
    DROP CONSTRAINT post_check1,
    ADD CONSTRAINT post_published_at
        CHECK ((status = 'PUBLISHED' OR archived_from IS NOT DISTINCT FROM 'PUBLISHED') = (published_at IS NOT NULL));
-- Which slots of a channel are taken.
CREATE INDEX post_by_time ON post (channel_id, scheduled_at) WHERE status = 'SCHEDULED';

-- A channel's posting schedule: wall-clock times in the channel's zone.
CREATE TABLE channel_slot (
    channel_id uuid NOT NULL REFERENCES channel ON DELETE CASCADE,
    weekday    smallint NOT NULL CHECK (weekday BETWEEN 0 AND 6), -- 0 is Sunday
    minute     smallint NOT NULL CHECK (minute BETWEEN 0 AND 1439), -- of the day
    PRIMARY KEY (channel_id, weekday, minute)
);

-- Files that posts can carry. What was uploaded stands in storage under the id.
CREATE TABLE media (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    name         text NOT NULL,
    type         text NOT NULL CHECK (type IN ('IMAGE', 'VIDEO', 'GIF', 'DOCUMENT')),
    content_type text NOT NULL,
    size         bigint NOT NULL CHECK (size >= 0),
    created_at   timestamptz NOT NULL
);
CREATE INDEX media_by_workspace ON media (workspace_id, id DESC);

-- What a workspace has used of its plan. Counted here, not from the rows themselves: deleting what was uploaded this month
-- gives no uploads back.
CREATE TABLE workspace_usage (
    workspace_id  uuid PRIMARY KEY REFERENCES workspace ON DELETE CASCADE,
    storage_bytes bigint NOT NULL DEFAULT 0 CHECK (storage_bytes >= 0),
    month         date NOT NULL DEFAULT date_trunc('month', now()),
    uploads       bigint NOT NULL DEFAULT 0 CHECK (uploads >= 0) -- in that month
);

-- Answers to requests with an Idempotency-Key. A row is written by the transaction that did what the answer tells of.
CREATE TABLE idempotency_key (
    workspace_id uuid NOT NULL, -- no reference: checking it would lock the workspace's row until the transaction ends
    operation    text NOT NULL,
    key          text NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 255),
    fingerprint  bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
    status       smallint, -- null only within the transaction that makes the answer
    location     text,
    body         bytea, -- sealed: an answer may hold a secret that is shown once
    completed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, operation, key)
);
CREATE INDEX idempotency_key_by_age ON idempotency_key (completed_at);

-- Token buckets of the rate limits, shared by all processes. What a crash loses is worth no log.
CREATE UNLOGGED TABLE rate_bucket (
    subject text PRIMARY KEY,
    lacking bigint NOT NULL CHECK (lacking >= 0), -- to be full, in 60-millionths of a token, at the instant:
    at      timestamptz NOT NULL,
    granted integer NOT NULL -- by the last lease
) WITH (fillfactor = 50); -- rows are rewritten in place all the time

-- +goose Down
DROP TABLE rate_bucket, idempotency_key, workspace_usage, media, channel_slot;
DROP INDEX post_by_time;
UPDATE post SET status = archived_from, archived_from = NULL WHERE status = 'ARCHIVED';
ALTER TABLE post
    DROP COLUMN options, DROP COLUMN archived_from, -- with their checks
    ADD CONSTRAINT post_check1 CHECK ((status = 'PUBLISHED') = (published_at IS NOT NULL) OR status = 'ARCHIVED');
