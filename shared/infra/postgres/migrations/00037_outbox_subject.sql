-- The sweep looks in the outbox for each overdue object. Without this index its plan depends on statistics, which show an
-- empty outbox until a burst is over, and it reads the whole outbox for each object.

-- +goose Up
CREATE INDEX outbox_subject ON outbox (subject);
DROP INDEX outbox_lease_of;

-- +goose Down
CREATE INDEX outbox_lease_of ON outbox (subject) WHERE lane = 3;
DROP INDEX outbox_subject;
