-- +goose Up
-- People who may become customers. What is unknown of one is null.
CREATE TABLE lead (
    id            uuid PRIMARY KEY,
    workspace_id  uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    person_id     uuid,
    name          text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    handle        text CHECK (char_length(handle) <= 200),
    profile_url   text CHECK (octet_length(profile_url) <= 2048),
    platform      text,
    source        text NOT NULL CHECK (source IN ('SALES_LEAD_AGENT', 'BROWSER_EXTENSION', 'MANUAL')),
    temperature   text CHECK (temperature IN ('COLD', 'WARM', 'HOT')),
    interest      text CHECK (char_length(interest) <= 2000),
    stage         text NOT NULL CHECK (stage IN ('NEW', 'CONTACTED', 'QUALIFIED', 'PROPOSAL', 'WON', 'LOST')),
    value         numeric(16, 4) CHECK (value >= 0),
    currency      text CHECK (currency ~ '^[A-Z]{3}$'),
    follow_up_at  timestamptz,
    contact_email text CHECK (octet_length(contact_email) <= 254),
    contact_phone text CHECK (octet_length(contact_phone) <= 40),
    lost_reason   text CHECK (char_length(lost_reason) <= 1000),
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    CHECK ((value IS NULL) = (currency IS NULL)),
    CHECK (lost_reason IS NULL OR stage = 'LOST')
);
CREATE INDEX lead_by_workspace ON lead (workspace_id, id DESC);
CREATE INDEX lead_by_stage ON lead (workspace_id, stage, id DESC);

-- +goose Down
DROP TABLE lead;
