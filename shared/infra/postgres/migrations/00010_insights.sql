-- +goose Up
-- How channels do, one row a day. Null is "the network does not tell", never nought.
CREATE TABLE channel_insight (
    channel_id     uuid NOT NULL REFERENCES channel ON DELETE CASCADE,
    day            date NOT NULL, -- in the zone the network reports in
    followers      bigint CHECK (followers >= 0),
    impressions    bigint CHECK (impressions >= 0),
    reach          bigint CHECK (reach >= 0),
    engagements    bigint CHECK (engagements >= 0),
    profile_views  bigint CHECK (profile_views >= 0),
    website_clicks bigint CHECK (website_clicks >= 0),
    collected_at   timestamptz NOT NULL,
    PRIMARY KEY (channel_id, day)
);
CREATE INDEX channel_insight_by_day ON channel_insight (day);

-- How posts do, counted from their publication on: what was known at the end of a day.
CREATE TABLE post_insight (
    post_id      uuid NOT NULL REFERENCES post ON DELETE CASCADE,
    day          date NOT NULL, -- in the time zone of the workspace
    impressions  bigint CHECK (impressions >= 0),
    reach        bigint CHECK (reach >= 0),
    likes        bigint CHECK (likes >= 0),
    comments     bigint CHECK (comments >= 0),
    shares       bigint CHECK (shares >= 0),
    saves        bigint CHECK (saves >= 0),
    clicks       bigint CHECK (clicks >= 0),
    video_views  bigint CHECK (video_views >= 0),
    collected_at timestamptz NOT NULL,
    PRIMARY KEY (post_id, day)
);
CREATE INDEX post_insight_by_day ON post_insight (day);

-- How far the collection of a channel's figures has come.
CREATE TABLE insight_progress (
    channel_id      uuid PRIMARY KEY REFERENCES channel ON DELETE CASCADE,
    collected_until date,        -- the last day that was asked for; what was told of it may still change
    collected_at    timestamptz, -- the last collection that came to its end
    -- A refusal that lasts, and the credentials it was given to: with others, it is asked again.
    stopped         text,
    stopped_rev     integer,
    heard_at        timestamptz NOT NULL, -- the last step of any collection
    CHECK ((stopped IS NULL) = (stopped_rev IS NULL))
);

-- The channels that have a schedule in Temporal. Such a row outlives its channel, until the schedule is gone too.
CREATE TABLE insight_schedule (
    channel_id uuid PRIMARY KEY,
    told_at    timestamptz NOT NULL
);

-- The posts whose figures are read.
CREATE INDEX post_published ON post (channel_id, published_at) WHERE published_at IS NOT NULL;

ALTER TABLE outbox
    DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check
        CHECK (kind IN ('post', 'restart', 'delivery', 'import', 'media', 'redelivery', 'replay', 'insights'));

-- +goose Down
DELETE FROM outbox WHERE kind = 'insights';
ALTER TABLE outbox
    DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check CHECK (kind IN ('post', 'restart', 'delivery', 'import', 'media', 'redelivery', 'replay'));
DROP INDEX post_published;
DROP TABLE insight_schedule, insight_progress, post_insight, channel_insight;
