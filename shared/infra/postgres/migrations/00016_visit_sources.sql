-- +goose Up
-- The address of a visitor, as a hash that is keyed like the visitor's: it bounds how many visitors one address adds to a page in a day.
-- Programs of the version before leave it out.
ALTER TABLE link_visitor ADD COLUMN source bytea CHECK (octet_length(source) = 16);
CREATE INDEX link_visitor_by_source ON link_visitor (page_id, day, source);

-- +goose Down
DROP INDEX link_visitor_by_source;
ALTER TABLE link_visitor DROP COLUMN source;
