-- Links by which people without an account see chosen posts.
--
-- A link is found by the SHA-256 of its secret. A personal one is in a mail that asks for approval: it decides in the name of
-- the person whom it was mailed to, created_by. The others are for guests. The posts of a link have no foreign key: the page
-- of the link says which were deleted. planned_at: the time of the post when it was shared.

-- +goose Up
CREATE TABLE client_link (
    id            uuid PRIMARY KEY,
    workspace_id  uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    created_by    uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    hash          bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    name          text NOT NULL,
    personal      boolean NOT NULL,
    may_comment   boolean NOT NULL,
    may_decide    boolean NOT NULL,
    password_hash text NOT NULL,
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    revoked_at    timestamptz,
    seen_at       timestamptz
);
CREATE INDEX client_link_by_workspace ON client_link (workspace_id, id) WHERE NOT personal;
CREATE INDEX client_link_by_creator ON client_link (created_by);
CREATE INDEX client_link_by_end ON client_link (expires_at);

CREATE TABLE client_link_post (
    link_id    uuid NOT NULL REFERENCES client_link ON DELETE CASCADE,
    n          integer NOT NULL,
    post_id    uuid NOT NULL,
    planned_at timestamptz,
    PRIMARY KEY (link_id, post_id)
);

-- +goose Down
DROP TABLE client_link_post;
DROP TABLE client_link;
