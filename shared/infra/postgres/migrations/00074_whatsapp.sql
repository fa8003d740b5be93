-- +goose Up
-- The template that an answer sends, with its values; null: it is in the account's own words. Whether the network bills it; null:
-- it has not said so.
ALTER TABLE message ADD COLUMN template jsonb, ADD COLUMN billed boolean;
-- The costs of a channel.
CREATE INDEX message_by_price ON message (channel_id, sent_at) INCLUDE (price, billed) WHERE price <> '';

-- When the network reported something last, to a minute.
ALTER TABLE inbound_source ADD COLUMN event_at timestamptz;

-- What a channel's members decided about its inbox. No row: the defaults.
CREATE TABLE channel_inbox (
    channel_id    uuid PRIMARY KEY REFERENCES channel ON DELETE CASCADE,
    reads_on_open boolean NOT NULL DEFAULT false -- the person sees that a member has opened the conversation
);

-- What people are to see as read at the network. A worker takes the rows.
CREATE TABLE read_receipt (
    conversation_id uuid PRIMARY KEY REFERENCES conversation ON DELETE CASCADE,
    message_id      uuid NOT NULL, -- the last message of the person
    tries           integer NOT NULL DEFAULT 0,
    next_at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX read_receipt_due ON read_receipt (next_at);

-- +goose Down
DROP TABLE read_receipt, channel_inbox;
ALTER TABLE inbound_source DROP COLUMN event_at;
DROP INDEX message_by_price;
ALTER TABLE message DROP COLUMN billed, DROP COLUMN template;
