-- +goose Up
-- The channels of a bot or a number, for each delivery of a network.
CREATE INDEX channel_by_inbound_account ON channel (type, split_part(external_id, ':', 1))
    WHERE type IN ('TELEGRAM_BUSINESS', 'WHATSAPP_BUSINESS');

-- +goose Down
DROP INDEX channel_by_inbound_account;
