-- +goose Up
-- Leads as people work on them: an owner, a follow-up of which the owner is reminded, and a timeline.
UPDATE lead SET person_id = NULL
    WHERE person_id IS NOT NULL AND NOT EXISTS (SELECT FROM person p WHERE p.id = lead.person_id AND p.workspace_id = lead.workspace_id);
ALTER TABLE lead
    ADD CONSTRAINT lead_person FOREIGN KEY (person_id) REFERENCES person ON DELETE SET NULL,
    ADD COLUMN owner_id         uuid REFERENCES app_user ON DELETE SET NULL,
    ADD COLUMN follow_up_by     uuid REFERENCES app_user ON DELETE SET NULL,
    ADD COLUMN follow_up_beyond boolean NOT NULL DEFAULT false, -- the follow-up is due beyond the horizon
    ADD COLUMN reminded_at      timestamptz, -- the follow-up of which a member was reminded
    ADD COLUMN heard_at         timestamptz, -- when the sweep last looked for the workflow of the follow-up
    ADD COLUMN revision         bigint NOT NULL DEFAULT 1,
    ADD COLUMN score            integer NOT NULL DEFAULT 0 CHECK (score BETWEEN 0 AND 100),
    ADD COLUMN capture_key      text CHECK (octet_length(capture_key) <= 100);
-- Of follow-ups before this version no one is reminded.
UPDATE lead SET reminded_at = follow_up_at WHERE follow_up_at < now();
UPDATE lead SET follow_up_beyond = true WHERE follow_up_at >= now();
-- One capture creates one lead, however often it is sent.
CREATE UNIQUE INDEX lead_capture ON lead (workspace_id, capture_key) WHERE capture_key IS NOT NULL;
CREATE INDEX lead_in_stage ON lead (workspace_id, stage, updated_at DESC, id DESC);
CREATE INDEX lead_by_owner ON lead (owner_id) WHERE owner_id IS NOT NULL;
CREATE INDEX lead_by_email ON lead (workspace_id, lower(contact_email)) WHERE contact_email IS NOT NULL;
CREATE INDEX lead_by_phone ON lead (workspace_id, ltrim(regexp_replace(contact_phone, '[^0-9]', '', 'g'), '0'))
    WHERE contact_phone IS NOT NULL;
CREATE INDEX lead_by_profile ON lead (workspace_id, rtrim(regexp_replace(lower(profile_url), '^https{0,1}://(www\.){0,1}', ''), '/'))
    WHERE profile_url IS NOT NULL;
-- Follow-ups whose time may have come.
CREATE INDEX lead_to_remind ON lead (follow_up_at)
    WHERE follow_up_at IS NOT NULL AND stage NOT IN ('WON', 'LOST') AND follow_up_at IS DISTINCT FROM reminded_at;

-- What happened to a lead.
CREATE TABLE lead_entry (
    id       uuid PRIMARY KEY,
    lead_id  uuid NOT NULL REFERENCES lead ON DELETE CASCADE,
    user_id  uuid REFERENCES app_user ON DELETE SET NULL,
    kind     text NOT NULL CHECK (kind IN ('CREATED', 'CHANGED', 'NOTE', 'REMINDED', 'LINKED', 'MERGED', 'SCORED')),
    text     text NOT NULL DEFAULT '',
    changes  jsonb,
    revision bigint NOT NULL DEFAULT 0, -- of the lead, after a change
    at       timestamptz NOT NULL
);
CREATE INDEX lead_entry_by_lead ON lead_entry (lead_id, at, id);

-- The conversations with a lead.
CREATE TABLE lead_conversation (
    lead_id         uuid NOT NULL REFERENCES lead ON DELETE CASCADE,
    conversation_id uuid NOT NULL REFERENCES conversation ON DELETE CASCADE,
    PRIMARY KEY (lead_id, conversation_id)
);
CREATE INDEX lead_conversation_by_conversation ON lead_conversation (conversation_id);

-- Files of leads that people import, each for the person alone.
CREATE TABLE lead_import (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    user_id      uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    name         text NOT NULL,
    columns      jsonb NOT NULL, -- the field of each column, empty for none
    rows         jsonb NOT NULL,
    anyway       boolean NOT NULL DEFAULT false, -- also those that are known
    done         integer NOT NULL DEFAULT 0, -- rows, each created or left out
    created      integer NOT NULL DEFAULT 0,
    known        integer NOT NULL DEFAULT 0, -- left out, because there is such a lead
    faulty       integer NOT NULL DEFAULT 0, -- left out, because of a fault
    created_at   timestamptz NOT NULL
);
CREATE INDEX lead_import_by_person ON lead_import (workspace_id, user_id, created_at DESC);
CREATE INDEX lead_import_by_age ON lead_import (created_at);

ALTER TABLE outbox
    DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check
        CHECK (kind IN ('post', 'restart', 'delivery', 'import', 'media', 'redelivery', 'replay', 'insights', 'mail', 'reply', 'followup'));

-- +goose Down
DELETE FROM outbox WHERE kind = 'followup';
ALTER TABLE outbox
    DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check
        CHECK (kind IN ('post', 'restart', 'delivery', 'import', 'media', 'redelivery', 'replay', 'insights', 'mail', 'reply'));
DROP TABLE lead_import, lead_conversation, lead_entry;
DROP INDEX lead_capture, lead_in_stage, lead_by_owner, lead_by_email, lead_by_phone, lead_by_profile, lead_to_remind;
ALTER TABLE lead
    DROP CONSTRAINT lead_person, DROP COLUMN owner_id, DROP COLUMN follow_up_by, DROP COLUMN follow_up_beyond, DROP COLUMN reminded_at,
    DROP COLUMN heard_at, DROP COLUMN revision, DROP COLUMN score, DROP COLUMN capture_key;
