-- +goose Up
-- The lease on refreshing the channel's credentials: one execution refreshes at a time, and no transaction stays open
-- while it calls the network. The lease of a crashed execution ends at its time.
-- Programs of the version before ignore the lease, so they must not run beside programs of this version.
ALTER TABLE channel
    ADD COLUMN refreshing_by uuid, -- the execution that holds the lease
    ADD COLUMN refreshing_until timestamptz,
    ADD CHECK ((refreshing_by IS NULL) = (refreshing_until IS NULL));

-- +goose Down
ALTER TABLE channel DROP COLUMN refreshing_by, DROP COLUMN refreshing_until;
