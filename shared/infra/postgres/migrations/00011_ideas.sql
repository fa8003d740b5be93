-- +goose Up
-- Idea boards: cards with what might become a post, in columns, with labels.
CREATE TABLE idea_board (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    name         text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL -- of the board or of a card on it
);
CREATE INDEX idea_board_by_workspace ON idea_board (workspace_id, id);

CREATE TABLE idea_column (
    id       uuid PRIMARY KEY,
    board_id uuid NOT NULL REFERENCES idea_board ON DELETE CASCADE,
    position smallint NOT NULL CHECK (position >= 0),
    name     text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 50),
    UNIQUE (board_id, position) DEFERRABLE,
    UNIQUE (board_id, id)
);

CREATE TABLE idea_label (
    id       uuid PRIMARY KEY,
    board_id uuid NOT NULL REFERENCES idea_board ON DELETE CASCADE,
    position smallint NOT NULL CHECK (position >= 0),
    name     text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 50),
    color    text NOT NULL CHECK (color ~ '^#[0-9a-f]{6}$'),
    UNIQUE (board_id, position) DEFERRABLE,
    UNIQUE (board_id, id)
);

CREATE TABLE idea_card (
    id         uuid PRIMARY KEY,
    board_id   uuid NOT NULL REFERENCES idea_board ON DELETE CASCADE,
    column_id  uuid NOT NULL,
    -- The order within the column. Ranks have gaps, so that a card is put between two others without touching them.
    rank       bigint NOT NULL,
    title      text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 200),
    content    text NOT NULL CHECK (char_length(content) <= 10000),
    link       text CHECK (octet_length(link) <= 2048),
    media_ids  uuid[] NOT NULL DEFAULT '{}', -- in the order in which they are shown; media_reference holds the assets
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    FOREIGN KEY (board_id, column_id) REFERENCES idea_column (board_id, id),
    UNIQUE (board_id, id),
    UNIQUE (column_id, rank) DEFERRABLE -- a column is numbered anew in one statement
);

CREATE TABLE idea_card_label (
    board_id uuid NOT NULL,
    card_id  uuid NOT NULL,
    label_id uuid NOT NULL,
    PRIMARY KEY (card_id, label_id),
    FOREIGN KEY (board_id, card_id) REFERENCES idea_card (board_id, id) ON DELETE CASCADE,
    FOREIGN KEY (board_id, label_id) REFERENCES idea_label (board_id, id) ON DELETE CASCADE
);
CREATE INDEX idea_card_label_by_label ON idea_card_label (board_id, label_id);

ALTER TABLE media_reference
    DROP CONSTRAINT media_reference_owner_type_check,
    ADD CONSTRAINT media_reference_owner_type_check CHECK (owner_type IN
        ('POST', 'BRAND_LOGO', 'BRAND_PERSONA_PHOTO', 'BRAND_STYLE_REFERENCE', 'WORKSPACE_LOGO', 'CHANNEL_AVATAR', 'LINK_PAGE', 'IDEA_CARD'));

-- Workspaces that are there already get the board that new ones are made with (package idea, DefaultBoard).
-- +goose StatementBegin
CREATE FUNCTION new_idea_id() RETURNS uuid LANGUAGE sql VOLATILE AS $$
    -- A UUIDv7: the time, then the random part of a UUIDv4.
    SELECT (lpad(to_hex(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
        || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid
$$;
-- +goose StatementEnd
INSERT INTO idea_board (id, workspace_id, name, created_at, updated_at)
SELECT new_idea_id(), id, 'Ideas', date_trunc('milliseconds', now()), date_trunc('milliseconds', now()) FROM workspace ORDER BY id;
INSERT INTO idea_column (id, board_id, position, name)
SELECT new_idea_id(), b.id, c.n - 1, c.name
FROM idea_board b, unnest(ARRAY['Ideas', 'In progress', 'Ready', 'Done']) WITH ORDINALITY AS c (name, n);
INSERT INTO idea_label (id, board_id, position, name, color)
SELECT new_idea_id(), b.id, l.n - 1, l.name, l.color
FROM idea_board b, unnest(
    ARRAY['Evergreen', 'Campaign', 'Announcement', 'Behind the scenes', 'Question'],
    ARRAY['#2e7d32', '#1565c0', '#c62828', '#6a1b9a', '#a15c00']) WITH ORDINALITY AS l (name, color, n);
DROP FUNCTION new_idea_id();

-- +goose Down
DELETE FROM media_reference WHERE owner_type = 'IDEA_CARD';
ALTER TABLE media_reference
    DROP CONSTRAINT media_reference_owner_type_check,
    ADD CONSTRAINT media_reference_owner_type_check CHECK (owner_type IN
        ('POST', 'BRAND_LOGO', 'BRAND_PERSONA_PHOTO', 'BRAND_STYLE_REFERENCE', 'WORKSPACE_LOGO', 'CHANNEL_AVATAR', 'LINK_PAGE'));
DROP TABLE idea_card_label, idea_card, idea_label, idea_column, idea_board;
