-- +goose Up
-- Public link pages. What is edited is the draft; what visitors see is the row of link_page_live, which is only replaced.
CREATE TABLE link_page (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    handle       text NOT NULL, -- of the draft
    draft        jsonb NOT NULL CHECK (jsonb_typeof(draft) = 'object'),
    revision     integer NOT NULL CHECK (revision > 0), -- of the draft
    versions     integer NOT NULL DEFAULT 0 CHECK (versions >= 0), -- how often it was published
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL
);
CREATE INDEX link_page_by_workspace ON link_page (workspace_id, id);

-- The addresses that pages hold: each page that of its draft, and the one it is live at. So no two pages ever have one.
CREATE TABLE link_page_handle (
    handle  text PRIMARY KEY CHECK (handle ~ '^[a-z0-9]+([_-][a-z0-9]+)*$' AND length(handle) BETWEEN 3 AND 30),
    page_id uuid NOT NULL REFERENCES link_page ON DELETE CASCADE
);
CREATE INDEX link_page_handle_by_page ON link_page_handle (page_id);

CREATE TABLE link_page_live (
    page_id      uuid PRIMARY KEY REFERENCES link_page ON DELETE CASCADE,
    handle       text NOT NULL UNIQUE REFERENCES link_page_handle ON DELETE CASCADE,
    version      integer NOT NULL CHECK (version > 0),
    revision     integer NOT NULL CHECK (revision > 0),
    content      jsonb NOT NULL CHECK (jsonb_typeof(content) = 'object'),
    block_ids    uuid[] NOT NULL, -- those of the content, so that a click finds its page
    published_at timestamptz NOT NULL
);
CREATE INDEX link_page_live_by_block ON link_page_live USING gin (block_ids);

-- What the counts stand on. Nothing here tells who came: a visitor is a keyed hash whose key lives for one day.
CREATE TABLE link_visit_salt (
    day  date PRIMARY KEY,
    salt bytea NOT NULL CHECK (octet_length(salt) = 32)
);
CREATE TABLE link_visitor (
    day     date NOT NULL,
    page_id uuid NOT NULL REFERENCES link_page ON DELETE CASCADE,
    visitor bytea NOT NULL CHECK (octet_length(visitor) = 16),
    PRIMARY KEY (page_id, day, visitor)
);
CREATE INDEX link_visitor_by_day ON link_visitor (day);
-- Batches of counts that were written: one that is sent again, because its answer was lost, is not counted again.
CREATE TABLE link_visit_batch (
    id         uuid PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE page_view_day (
    page_id  uuid NOT NULL REFERENCES link_page ON DELETE CASCADE,
    day      date NOT NULL,
    views    bigint NOT NULL DEFAULT 0 CHECK (views >= 0),
    visitors bigint NOT NULL DEFAULT 0 CHECK (visitors >= 0),
    bots     bigint NOT NULL DEFAULT 0 CHECK (bots >= 0), -- views by programs; not among the views
    PRIMARY KEY (page_id, day)
);
CREATE TABLE click_day (
    page_id  uuid NOT NULL REFERENCES link_page ON DELETE CASCADE,
    block_id uuid NOT NULL,
    day      date NOT NULL,
    clicks   bigint NOT NULL DEFAULT 0 CHECK (clicks >= 0),
    PRIMARY KEY (page_id, block_id, day)
);

ALTER TABLE media_reference
    DROP CONSTRAINT media_reference_owner_type_check,
    ADD CONSTRAINT media_reference_owner_type_check CHECK (owner_type IN
        ('POST', 'BRAND_LOGO', 'BRAND_PERSONA_PHOTO', 'BRAND_STYLE_REFERENCE', 'WORKSPACE_LOGO', 'CHANNEL_AVATAR', 'LINK_PAGE'));

-- +goose Down
DELETE FROM media_reference WHERE owner_type = 'LINK_PAGE';
ALTER TABLE media_reference
    DROP CONSTRAINT media_reference_owner_type_check,
    ADD CONSTRAINT media_reference_owner_type_check CHECK (owner_type IN
        ('POST', 'BRAND_LOGO', 'BRAND_PERSONA_PHOTO', 'BRAND_STYLE_REFERENCE', 'WORKSPACE_LOGO', 'CHANNEL_AVATAR'));
DROP TABLE click_day, page_view_day, link_visit_batch, link_visitor, link_visit_salt, link_page_live, link_page_handle, link_page;
