-- Posts that fill free slots again and again.
--
-- A slot is filled once, because evergreen_slot has it once: with its post, or without one after a fault. last_at is the latest
-- slot of a post. Recurring posts, too, refer to files.

-- +goose Up
CREATE TABLE evergreen_rule (
    channel_id   uuid PRIMARY KEY REFERENCES channel ON DELETE CASCADE,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    active       boolean NOT NULL,
    per_day      smallint NOT NULL CHECK (per_day BETWEEN 1 AND 10),
    days_ahead   smallint NOT NULL CHECK (days_ahead BETWEEN 1 AND 14)
);

CREATE TABLE evergreen (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    channel_id   uuid NOT NULL REFERENCES channel ON DELETE CASCADE,
    author_id    uuid NOT NULL,
    content      jsonb NOT NULL,
    cooldown     smallint NOT NULL CHECK (cooldown BETWEEN 1 AND 365),
    last_at      timestamptz,
    fault        text NOT NULL,
    created_at   timestamptz NOT NULL
);
CREATE INDEX evergreen_by_channel ON evergreen (channel_id, id);
CREATE INDEX evergreen_by_workspace ON evergreen (workspace_id, id);

CREATE TABLE evergreen_slot (
    channel_id   uuid NOT NULL REFERENCES channel ON DELETE CASCADE,
    at           timestamptz NOT NULL,
    evergreen_id uuid NOT NULL,
    post_id      uuid,
    PRIMARY KEY (channel_id, at)
);

ALTER TABLE media_reference
    DROP CONSTRAINT media_reference_owner_type_check,
    ADD CONSTRAINT media_reference_owner_type_check CHECK (owner_type IN
        ('POST', 'BRAND_LOGO', 'BRAND_PERSONA_PHOTO', 'BRAND_STYLE_REFERENCE', 'WORKSPACE_LOGO', 'CHANNEL_AVATAR', 'LINK_PAGE', 'IDEA_CARD',
            'SERIES', 'EVERGREEN'));

-- +goose Down
DELETE FROM media_reference WHERE owner_type IN ('SERIES', 'EVERGREEN');
ALTER TABLE media_reference
    DROP CONSTRAINT media_reference_owner_type_check,
    ADD CONSTRAINT media_reference_owner_type_check CHECK (owner_type IN
        ('POST', 'BRAND_LOGO', 'BRAND_PERSONA_PHOTO', 'BRAND_STYLE_REFERENCE', 'WORKSPACE_LOGO', 'CHANNEL_AVATAR', 'LINK_PAGE', 'IDEA_CARD'));
DROP TABLE evergreen_slot, evergreen, evergreen_rule;
