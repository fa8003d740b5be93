-- +goose Up
-- The files of messages: those that people sent, which are loaded from the network, and those of answers, which are assets.
CREATE TABLE message_file (
    message_id  uuid NOT NULL REFERENCES message ON DELETE CASCADE,
    n           integer NOT NULL,
    network_ref text NOT NULL DEFAULT '', -- with which the network returns it, or takes it in an answer
    name        text NOT NULL,
    type        text NOT NULL, -- until it is loaded as the network says, then by its bytes
    size        bigint NOT NULL DEFAULT 0,
    width       integer NOT NULL DEFAULT 0,
    height      integer NOT NULL DEFAULT 0,
    media_id    uuid REFERENCES media ON DELETE SET NULL, -- of an answer
    object_key  text,
    thumb_key   text,
    thumb_type  text NOT NULL DEFAULT '',
    state       text NOT NULL CHECK (state IN ('WAITING', 'READY', 'REFUSED', 'EXPIRED')),
    fault       text NOT NULL DEFAULT '', -- of the last try, for people
    tries       integer NOT NULL DEFAULT 0,
    next_at     timestamptz NOT NULL DEFAULT now(),
    since       timestamptz NOT NULL DEFAULT now(), -- when it began to wait
    PRIMARY KEY (message_id, n)
);
CREATE INDEX message_file_waiting ON message_file (next_at) WHERE state = 'WAITING';
CREATE INDEX message_file_by_media ON message_file (media_id) WHERE media_id IS NOT NULL;

-- Requests for files that a network refused within an hour, of networks that then refuse all.
CREATE TABLE message_file_failures (
    network text NOT NULL,
    account text NOT NULL,
    failed  integer NOT NULL,
    most    integer NOT NULL,
    since   timestamptz NOT NULL,
    PRIMARY KEY (network, account)
);

-- The cleanup deletes the objects of files that are gone, whatever deleted them: the network, a person, or the end of a channel.
-- +goose StatementBegin
CREATE FUNCTION loosen_message_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO loose_object (key, delete_after)
    SELECT k, now() FROM unnest(ARRAY[OLD.object_key, OLD.thumb_key]) AS k WHERE k IS NOT NULL
    ON CONFLICT (key) DO UPDATE SET delete_after = excluded.delete_after;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER message_file_is_gone AFTER DELETE ON message_file FOR EACH ROW EXECUTE FUNCTION loosen_message_file();
CREATE TRIGGER message_file_is_replaced AFTER UPDATE OF object_key ON message_file FOR EACH ROW
    WHEN (OLD.object_key IS NOT NULL AND OLD.object_key IS DISTINCT FROM NEW.object_key) EXECUTE FUNCTION loosen_message_file();

-- +goose Down
DELETE FROM message_file;
DROP TABLE message_file, message_file_failures;
DROP FUNCTION loosen_message_file();
