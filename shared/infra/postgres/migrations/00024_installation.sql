-- +goose Up
-- Where this database is: the server and the identity of its tables, which differ in a database restored from a dump.
-- Programs that publish do not start in a restored database until "worker recover" has held its open posts.
CREATE TABLE installation (
    id         boolean PRIMARY KEY DEFAULT true CHECK (id),
    place      text NOT NULL,
    settled_at timestamptz NOT NULL DEFAULT now()
);

-- +goose Down
DROP TABLE installation;
