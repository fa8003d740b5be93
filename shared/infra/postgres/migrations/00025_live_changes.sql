-- +goose Up
-- Changes that people make to published posts on their networks: one row a change.
CREATE TABLE live_change (
    post_id      uuid NOT NULL REFERENCES post ON DELETE CASCADE,
    n            integer NOT NULL,
    action       text NOT NULL CHECK (action IN ('EDIT', 'DELETE')),
    content      text NOT NULL,
    actor        text NOT NULL,
    state        text NOT NULL
        CHECK (state IN ('REQUESTED', 'SENT', 'UNKNOWN', 'DONE', 'REFUSED', 'UNDETERMINED')),
    doubtful     boolean NOT NULL DEFAULT false, -- a call may have taken effect without a response
    tries        integer NOT NULL DEFAULT 0,
    owner        uuid NOT NULL,        -- the execution that makes the call
    next_at      timestamptz NOT NULL, -- from when another execution may take an open change over
    requested_at timestamptz NOT NULL,
    sent_at      timestamptz,
    ended_at     timestamptz,
    code         text NOT NULL DEFAULT '',
    message      text NOT NULL DEFAULT '',
    PRIMARY KEY (post_id, n),
    CHECK ((state IN ('DONE', 'REFUSED', 'UNDETERMINED')) = (ended_at IS NOT NULL))
);
-- The fence: two changes of a post never run at the same time.
CREATE UNIQUE INDEX live_change_fence ON live_change (post_id) WHERE state IN ('REQUESTED', 'SENT', 'UNKNOWN');
CREATE INDEX live_change_due ON live_change (next_at) WHERE state IN ('REQUESTED', 'SENT', 'UNKNOWN');

-- The ids of all parts of a post that the network stores as several, such as the messages of an album.
ALTER TABLE publish_attempt ADD COLUMN external_parts text[];

-- +goose Down
ALTER TABLE publish_attempt DROP COLUMN external_parts;
DROP TABLE live_change;
