-- Campaigns, and short addresses of links in posts.
--
-- A post belongs to at most one campaign of its workspace. links has the templates of the parameters of links. The short
-- address of a link is that of one channel's post in what a person wrote: it has the same code when it is asked for again.
-- Codes keep their targets when posts are deleted, and clicks counts people only.

-- +goose Up
CREATE TABLE campaign (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    key          text NOT NULL,
    name         text NOT NULL,
    color        text NOT NULL,
    first_day    date,
    last_day     date,
    links        jsonb NOT NULL,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    UNIQUE (workspace_id, key),
    UNIQUE (workspace_id, id),
    CHECK (last_day >= first_day)
);

ALTER TABLE post
    ADD COLUMN campaign_id uuid,
    ADD CONSTRAINT post_campaign FOREIGN KEY (workspace_id, campaign_id) REFERENCES campaign (workspace_id, id);
CREATE INDEX post_by_campaign ON post (workspace_id, campaign_id) WHERE campaign_id IS NOT NULL;

CREATE TABLE short_link (
    code         text PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    scratch_id   uuid NOT NULL,
    channel_id   uuid NOT NULL,
    target       text NOT NULL CHECK (length(target) <= 2048),
    clicks       bigint NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL
);
CREATE UNIQUE INDEX short_link_once ON short_link (workspace_id, scratch_id, channel_id, md5(target));

-- +goose Down
DROP TABLE short_link;
ALTER TABLE post DROP CONSTRAINT post_campaign, DROP COLUMN campaign_id;
DROP TABLE campaign;
