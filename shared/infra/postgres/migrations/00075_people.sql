-- +goose Up
-- What members write about a person, and people who are one person with another.
ALTER TABLE person
    ADD COLUMN phone text NOT NULL DEFAULT '',
    ADD COLUMN mail text NOT NULL DEFAULT '',
    ADD COLUMN note text NOT NULL DEFAULT '',
    ADD COLUMN opted_out_at timestamptz,
    ADD COLUMN merged_into uuid REFERENCES person ON DELETE SET NULL,
    ADD COLUMN erased_at timestamptz;
CREATE INDEX person_merged ON person (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX person_by_phone ON person (workspace_id, phone) WHERE phone <> '';
CREATE INDEX person_by_mail ON person (workspace_id, lower(mail)) WHERE mail <> '';
CREATE INDEX person_text ON person USING gin (
    (ARRAY[workspace_id]), search_words(name || ' ' || phone || ' ' || mail), (name || ' ' || phone || ' ' || mail) gin_trgm_ops
) WITH (fastupdate = on, gin_pending_list_limit = 512);

-- The origin is the person before any merge; null: the present one. named_at is when the network said name and user name.
ALTER TABLE person_identity ADD COLUMN phone text NOT NULL DEFAULT '', ADD COLUMN origin uuid, ADD COLUMN named_at timestamptz;
UPDATE person_identity SET phone = CASE
    WHEN value ~ '^55[1-9]{2}[6-9][0-9]{7}$' THEN left(value, 4) || '9' || substr(value, 5)
    WHEN value ~ '^549[0-9]{10}$' THEN '54' || substr(value, 4)
    WHEN value ~ '^521[0-9]{10}$' THEN '52' || substr(value, 4)
    ELSE value END
WHERE network = 'whatsapp' AND value ~ '^[1-9][0-9]{6,14}$';
CREATE INDEX person_identity_by_phone ON person_identity (workspace_id, phone) WHERE phone <> '';
CREATE INDEX person_identity_text ON person_identity USING gin (
    (ARRAY[workspace_id]), search_words(name || ' ' || username || ' ' || value || ' ' || phone),
    (name || ' ' || username || ' ' || value || ' ' || phone) gin_trgm_ops
) WITH (fastupdate = on, gin_pending_list_limit = 512);
ALTER TABLE conversation ADD COLUMN origin uuid;
CREATE INDEX lead_of_person ON lead (person_id) WHERE person_id IS NOT NULL;

-- A member decided that two people are one.
CREATE TABLE person_merge (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    into_id      uuid NOT NULL REFERENCES person ON DELETE CASCADE,
    from_id      uuid NOT NULL REFERENCES person ON DELETE CASCADE,
    moved        jsonb NOT NULL,
    actor        uuid REFERENCES app_user ON DELETE SET NULL,
    at           timestamptz NOT NULL,
    undone_at    timestamptz
);
CREATE INDEX person_merge_by_person ON person_merge (into_id, at);
CREATE INDEX person_merge_from ON person_merge (from_id);

-- Settings of the inbox: when a conversation that waits is mailed about, and how long closed ones are kept.
ALTER TABLE workspace
    ADD COLUMN inbox_wait_minutes integer NOT NULL DEFAULT 15 CHECK (inbox_wait_minutes > 0),
    ADD COLUMN inbox_keep_days integer CHECK (inbox_keep_days > 0);

-- When a member was notified last of conversations that wait.
CREATE TABLE inbox_notice (
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    user_id      uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    at           timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
);
-- The channels whose conversations a member gets no such notices of.
CREATE TABLE inbox_notice_off (
    user_id    uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    channel_id uuid NOT NULL REFERENCES channel ON DELETE CASCADE,
    PRIMARY KEY (user_id, channel_id)
);
CREATE INDEX inbox_notice_off_by_channel ON inbox_notice_off (channel_id);
CREATE INDEX conversation_waiting ON conversation (workspace_id)
    WHERE state = 'OPEN' AND last_in_at > COALESCE(last_out_at, '-infinity'::timestamptz);

-- +goose Down
DROP INDEX conversation_waiting;
DROP TABLE inbox_notice_off, inbox_notice;
ALTER TABLE workspace DROP COLUMN inbox_keep_days, DROP COLUMN inbox_wait_minutes;
DROP TABLE person_merge;
DROP INDEX lead_of_person;
ALTER TABLE conversation DROP COLUMN origin;
DROP INDEX person_identity_text, person_identity_by_phone;
ALTER TABLE person_identity DROP COLUMN named_at, DROP COLUMN origin, DROP COLUMN phone;
DROP INDEX person_text, person_by_mail, person_by_phone, person_merged;
ALTER TABLE person DROP COLUMN erased_at, DROP COLUMN merged_into, DROP COLUMN opted_out_at, DROP COLUMN note, DROP COLUMN mail, DROP COLUMN phone;
