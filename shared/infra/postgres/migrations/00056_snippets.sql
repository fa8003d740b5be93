-- Texts that a workspace keeps for its posts, and the rule of the parameters of links.
--
-- kind is SNIPPET, SIGNATURE, HASHTAGS or MENTION. key is the name as names of one kind are compared.

-- +goose Up
CREATE TABLE snippet (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    kind         text NOT NULL,
    key          text NOT NULL,
    name         text NOT NULL,
    content      text NOT NULL,
    settings     jsonb NOT NULL,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    UNIQUE (workspace_id, kind, key)
);

CREATE TABLE link_rule (
    workspace_id uuid PRIMARY KEY REFERENCES workspace ON DELETE CASCADE,
    rule         jsonb NOT NULL,
    updated_at   timestamptz NOT NULL
);

-- +goose Down
DROP TABLE link_rule;
DROP TABLE snippet;
