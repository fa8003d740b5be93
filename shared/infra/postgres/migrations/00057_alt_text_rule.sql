-- Whether people may publish attachments without alternative texts.

-- +goose Up
ALTER TABLE workspace ADD COLUMN alt_text_rule text NOT NULL DEFAULT 'REMIND'
    CHECK (alt_text_rule IN ('OFF', 'REMIND', 'REQUIRED'));

-- +goose Down
ALTER TABLE workspace DROP COLUMN alt_text_rule;
