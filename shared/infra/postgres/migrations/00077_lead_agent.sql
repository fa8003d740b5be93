-- +goose Up
-- How the Sales Lead agent works in a workspace. A workspace without a row has the defaults.
CREATE TABLE lead_agent (
    workspace_id uuid PRIMARY KEY REFERENCES workspace ON DELETE CASCADE,
    mode         text NOT NULL CHECK (mode IN ('OFF', 'SUGGEST', 'CREATE')),
    words        text[] NOT NULL DEFAULT '{}' -- that people who buy write, beside those of all workspaces
);

-- People whom the agent suggests as leads, and what members decided about it.
CREATE TABLE lead_suggestion (
    id              uuid PRIMARY KEY,
    workspace_id    uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    person_id       uuid NOT NULL REFERENCES person ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    conversation_id uuid NOT NULL REFERENCES conversation ON DELETE CASCADE, -- with the first message
    state           text NOT NULL CHECK (state IN ('OPEN', 'ACCEPTED', 'REJECTED', 'MUTED')),
    score           integer NOT NULL CHECK (score BETWEEN 0 AND 100),
    lead_id         uuid REFERENCES lead ON DELETE SET NULL, -- while ACCEPTED
    decided_by      uuid REFERENCES app_user ON DELETE SET NULL,
    decided_at      timestamptz,
    created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX lead_suggestion_open ON lead_suggestion (person_id) WHERE state = 'OPEN';
CREATE INDEX lead_suggestion_by_person ON lead_suggestion (person_id, created_at DESC);
CREATE INDEX lead_suggestion_by_workspace ON lead_suggestion (workspace_id, score DESC, id) WHERE state = 'OPEN';
CREATE INDEX lead_suggestion_by_conversation ON lead_suggestion (conversation_id);
CREATE INDEX lead_suggestion_by_lead ON lead_suggestion (lead_id) WHERE lead_id IS NOT NULL;

-- The rules that applied to messages of a person, with the places of the words in the text.
CREATE TABLE lead_signal (
    suggestion_id uuid NOT NULL REFERENCES lead_suggestion ON DELETE CASCADE,
    message_id    uuid NOT NULL REFERENCES message ON DELETE CASCADE,
    rule          text NOT NULL,
    weight        integer NOT NULL,
    words         jsonb NOT NULL, -- [{"start", "end"}] in bytes
    PRIMARY KEY (suggestion_id, message_id, rule)
);
CREATE INDEX lead_signal_by_message ON lead_signal (message_id);

-- +goose Down
DROP TABLE lead_signal, lead_suggestion, lead_agent;
