-- Imports of posts from files of spreadsheets, and calendar feeds.
--
-- An import belongs to one person until it is deleted or has not changed for some days. key identifies a row in every copy
-- of the file. A feed is found by the SHA-256 of its address. It belongs to a membership and ends with it: that of a test
-- workspace is the membership of its live one, member_of.

-- +goose Up
CREATE TABLE plan_import (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    user_id      uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    name         text NOT NULL,
    format       text NOT NULL,
    settings     jsonb NOT NULL,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL
);
CREATE INDEX plan_import_by_person ON plan_import (workspace_id, user_id, id);
CREATE INDEX plan_import_by_updated ON plan_import (updated_at);

CREATE TABLE plan_import_row (
    import_id uuid NOT NULL REFERENCES plan_import ON DELETE CASCADE,
    line      integer NOT NULL,
    key       text NOT NULL,
    cells     jsonb NOT NULL,
    PRIMARY KEY (import_id, line)
);

CREATE TABLE calendar_feed (
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    user_id      uuid NOT NULL,
    member_of    uuid NOT NULL,
    hash         bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    created_at   timestamptz NOT NULL,
    read_at      timestamptz,
    PRIMARY KEY (workspace_id, user_id),
    FOREIGN KEY (user_id, member_of) REFERENCES workspace_member (user_id, workspace_id) ON DELETE CASCADE
);
CREATE INDEX calendar_feed_by_member ON calendar_feed (user_id, member_of);

-- +goose Down
DROP TABLE calendar_feed;
DROP TABLE plan_import_row;
DROP TABLE plan_import;
