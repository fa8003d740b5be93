-- +goose Up
-- Who changed a link page last, as timelines name actors.
ALTER TABLE link_page ADD COLUMN changed_by text NOT NULL DEFAULT '';

-- Domains at which pages are shown. Several workspaces can claim one, so that a claim without its records keeps no owner away;
-- one page has it.
CREATE TABLE link_domain (
    page_id     uuid PRIMARY KEY REFERENCES link_page ON DELETE CASCADE,
    host        text NOT NULL CHECK (host = lower(host) AND length(host) BETWEEN 4 AND 253),
    created_at  timestamptz NOT NULL,
    verified_at timestamptz, -- null: visitors do not get the page there
    checked_at  timestamptz,
    next_at     timestamptz, -- of the next check; null: none follows by itself
    fault       text NOT NULL DEFAULT '' -- what the last check found instead
);
CREATE UNIQUE INDEX link_domain_verified ON link_domain (host) WHERE verified_at IS NOT NULL;
CREATE INDEX link_domain_due ON link_domain (next_at) WHERE next_at IS NOT NULL;

-- +goose Down
DROP TABLE link_domain;
ALTER TABLE link_page DROP COLUMN changed_by;
