-- +goose Up
-- What people write in public: below posts, of accounts, and reviews.
ALTER TABLE conversation ADD COLUMN post text NOT NULL DEFAULT ''; -- the external ID of the post of the channel below which it is
CREATE INDEX conversation_by_post ON conversation (channel_id, post) WHERE post <> '';
CREATE INDEX conversation_by_kind ON conversation (workspace_id, kind, last_at DESC, id DESC) WHERE kind <> 'MESSAGES';

ALTER TABLE message
    ADD COLUMN permalink text NOT NULL DEFAULT '',
    ADD COLUMN rating    smallint NOT NULL DEFAULT 0 CHECK (rating BETWEEN 0 AND 5), -- stars of a review
    ADD COLUMN person_id uuid REFERENCES person ON DELETE SET NULL, -- who wrote it, of conversations with several people
    ADD COLUMN hidden_at timestamptz; -- by the account, at the network
CREATE INDEX message_by_author ON message (person_id) WHERE person_id IS NOT NULL;

-- A member can turn off what people write in public to a channel.
ALTER TABLE channel ADD COLUMN public_inbox boolean NOT NULL DEFAULT true;
CREATE INDEX channel_by_account ON channel (external_id, type) WHERE is_connected;

-- How far the network of a channel was asked for what people write in public. The row without a post is that of the account; on
-- networks that are asked below each post, it finds the posts.
CREATE TABLE inbox_poll (
    channel_id   uuid NOT NULL REFERENCES channel ON DELETE CASCADE,
    post         text NOT NULL DEFAULT '', -- its external ID
    cursor       text NOT NULL DEFAULT '',
    since        timestamptz NOT NULL,     -- the first poll reads nothing older
    next_at      timestamptz NOT NULL DEFAULT now(),
    paused_until timestamptz NOT NULL DEFAULT '-infinity', -- of all polls of the channel, in the row without a post
    tries        integer NOT NULL DEFAULT 0,               -- failures in turn
    fault        text NOT NULL DEFAULT '',                 -- of the last poll; empty: it worked
    comments     bigint NOT NULL DEFAULT 0,                -- what the figures of the post said when it was polled
    posted_at    timestamptz,                              -- of the post
    lease_owner  uuid,
    lease_until  timestamptz,
    PRIMARY KEY (channel_id, post)
);
CREATE INDEX inbox_poll_due ON inbox_poll (next_at);

-- +goose Down
DROP TABLE inbox_poll;
DROP INDEX channel_by_account;
ALTER TABLE channel DROP COLUMN public_inbox;
ALTER TABLE message DROP COLUMN permalink, DROP COLUMN rating, DROP COLUMN person_id, DROP COLUMN hidden_at;
ALTER TABLE conversation DROP COLUMN post;
