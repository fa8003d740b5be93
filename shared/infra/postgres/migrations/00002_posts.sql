-- +goose Up
CREATE TABLE post (
    id                  uuid PRIMARY KEY,
    workspace_id        uuid NOT NULL,
    channel_id          uuid NOT NULL,
    content             text NOT NULL,
    title               text NOT NULL DEFAULT '',
    content_type        text NOT NULL CHECK (content_type IN ('POST', 'REEL', 'STORY', 'VIDEO')),
    media_ids           uuid[] NOT NULL DEFAULT '{}',
    status              text NOT NULL
        CHECK (status IN ('DRAFT', 'PENDING_APPROVAL', 'SCHEDULED', 'PUBLISHED', 'FAILED', 'ARCHIVED')),
    scheduled_at        timestamptz,
    published_at        timestamptz,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL,
    revision            integer NOT NULL,
    publishing_since    timestamptz,
    waiting_reason      text,
    waiting_until       timestamptz,
    post_url            text,
    error_code          text,
    error_message       text,
    error_retryable     boolean,
    approval_status     text,
    approval_comment    text,
    approval_decided_at timestamptz,
    FOREIGN KEY (workspace_id, channel_id) REFERENCES channel (workspace_id, id) ON DELETE CASCADE,
    CHECK (status <> 'SCHEDULED' OR scheduled_at IS NOT NULL),
    CHECK ((status = 'PUBLISHED') = (published_at IS NOT NULL) OR status = 'ARCHIVED'),
    CHECK ((status = 'FAILED') <= (error_code IS NOT NULL)),
    CHECK (publishing_since IS NULL OR status = 'SCHEDULED')
);
-- Newest first is the order of the identifier, which begins with the time (UUIDv7).
CREATE INDEX post_by_workspace ON post (workspace_id, id DESC);
CREATE INDEX post_by_channel ON post (channel_id, id DESC);
CREATE INDEX post_by_status ON post (workspace_id, status, id DESC);
-- What the sweep looks for: posts that are due.
CREATE INDEX post_due ON post (scheduled_at) WHERE status = 'SCHEDULED';

CREATE TABLE post_timeline (
    post_id uuid NOT NULL REFERENCES post ON DELETE CASCADE,
    n       bigint GENERATED ALWAYS AS IDENTITY,
    at      timestamptz NOT NULL,
    kind    text NOT NULL,
    actor   text NOT NULL,
    detail  text NOT NULL,
    PRIMARY KEY (post_id, n)
);

-- The publish protocol's memory: one row an attempt.
CREATE TABLE publish_attempt (
    post_id         uuid NOT NULL REFERENCES post ON DELETE CASCADE,
    n               integer NOT NULL,
    revision        integer NOT NULL,
    channel_id      uuid NOT NULL,
    state           text NOT NULL
        CHECK (state IN ('PREPARED', 'SENT', 'UNKNOWN', 'CONFIRMED', 'REJECTED', 'UNDETERMINED', 'ABANDONED')),
    handle          text NOT NULL DEFAULT '',
    marker          text NOT NULL DEFAULT '', -- what was prepared; a handle is of no use for other content
    owner           uuid NOT NULL, -- the execution that inserted the intent, and may withdraw it
    started_at      timestamptz NOT NULL,
    sent_at         timestamptz,
    finished_at     timestamptz,
    external_id     text,
    post_url        text,
    failure_class   text,
    failure_code    text,
    failure_message text,
    reconciled      integer NOT NULL DEFAULT 0, -- how often the network was asked
    PRIMARY KEY (post_id, n)
);
-- The fence. While one of these stands, nobody sends: neither a retry, nor a second worker, nor one that was paused.
CREATE UNIQUE INDEX publish_attempt_fence ON publish_attempt (post_id) WHERE state IN ('SENT', 'UNKNOWN', 'CONFIRMED');
-- One post of the network belongs to one post of ours; reconciling never claims it twice.
CREATE UNIQUE INDEX publish_attempt_external ON publish_attempt (channel_id, external_id) WHERE state = 'CONFIRMED';

-- +goose Down
DROP TABLE publish_attempt, post_timeline, post;
