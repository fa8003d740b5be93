-- +goose Up
-- Messages to Temporal in two lanes, so that due posts never wait for posts of next month. The lane is set when the row
-- is written: 0 is urgent, 1 is patient. due_at is the order within a lane: the time at which the workflow must run.
-- The urgent lane takes turns between workspaces. Rows of older programs are urgent, in the order of their writing.
-- Lanes 2 and 3 are deliveries for the express lane: reserved for it, and leased by it. Both go to Temporal when
-- not_before has passed.
ALTER TABLE outbox
    ADD COLUMN lane         smallint NOT NULL DEFAULT 0 CHECK (lane BETWEEN 0 AND 3),
    ADD COLUMN due_at       timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN workspace_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';

DROP INDEX outbox_ready;
CREATE INDEX outbox_urgent ON outbox (workspace_id, due_at, id) WHERE lane = 0;
CREATE INDEX outbox_patient ON outbox (due_at, id) WHERE lane = 1;
CREATE INDEX outbox_express ON outbox (not_before, id) WHERE lane IN (2, 3);

-- swept_at is when the sweep last looked for the post's workflow. beyond_horizon marks a post that is due so late that it
-- has no workflow yet.
ALTER TABLE post ADD COLUMN swept_at timestamptz, ADD COLUMN beyond_horizon boolean NOT NULL DEFAULT false;
CREATE INDEX post_beyond_horizon ON post (scheduled_at) WHERE beyond_horizon;

-- +goose Down
-- The previous version expects a workflow for each scheduled post.
INSERT INTO outbox (kind, subject, payload, not_before)
SELECT 'post', id, jsonb_build_object('revision', revision, 'status', status, 'scheduledAt', scheduled_at), now()
FROM post WHERE beyond_horizon AND status = 'SCHEDULED';
DROP INDEX post_beyond_horizon;
ALTER TABLE post DROP COLUMN swept_at, DROP COLUMN beyond_horizon;
DROP INDEX outbox_urgent, outbox_patient, outbox_express;
CREATE INDEX outbox_ready ON outbox (not_before, id);
ALTER TABLE outbox DROP COLUMN lane, DROP COLUMN due_at, DROP COLUMN workspace_id;
