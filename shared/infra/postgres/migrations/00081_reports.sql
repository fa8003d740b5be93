-- +goose Up
-- Who gets the monthly report of a workspace by mail.
CREATE TABLE report_setting (
    workspace_id uuid PRIMARY KEY REFERENCES workspace ON DELETE CASCADE,
    is_on        boolean NOT NULL,
    on_since     timestamptz NOT NULL, -- reports that were due before are not sent
    addresses    text[] NOT NULL CHECK (cardinality(addresses) <= 10),
    revision     integer NOT NULL,
    changed_by   text NOT NULL
);

-- The months whose report was sent. The row is written with the mails, so that no report is sent twice.
CREATE TABLE report_month (
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    month        date NOT NULL CHECK (EXTRACT(DAY FROM month) = 1),
    sent_at      timestamptz NOT NULL,
    mails        integer NOT NULL,
    PRIMARY KEY (workspace_id, month)
);

-- Addresses, with ASCII letters in lower case, whose owners want no reports of a workspace.
CREATE TABLE report_stop (
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    address      text NOT NULL,
    stopped_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, address)
);

-- Links in reports, by which the owner of an address stops them. A link is stored as a SHA-256.
CREATE TABLE report_link (
    hash         bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    address      text NOT NULL,
    created_at   timestamptz NOT NULL
);
CREATE INDEX report_link_by_workspace ON report_link (workspace_id, created_at);

-- +goose Down
DELETE FROM mail WHERE kind = 'MONTHLY_REPORT';
DROP TABLE report_link, report_stop, report_month, report_setting;
