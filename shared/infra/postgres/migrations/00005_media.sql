-- +goose Up
-- No version before this one could store a file, so there is none to lose.
DELETE FROM media;
ALTER TABLE media
    ADD COLUMN source_url       text, -- attribution of an import; never fetched, never shown
    ADD COLUMN object_key       text NOT NULL UNIQUE,
    ADD COLUMN etag             text NOT NULL,
    ADD COLUMN sha256           bytea CHECK (octet_length(sha256) = 32),
    -- What networks get; the original's where nothing had to be taken away.
    ADD COLUMN published_key    text,
    ADD COLUMN published_etag   text,
    ADD COLUMN published_size   bigint,
    ADD COLUMN published_sha256 bytea CHECK (octet_length(published_sha256) = 32),
    ADD COLUMN thumbnail_key    text,
    ADD COLUMN thumbnail_type   text,
    ADD COLUMN thumbnail_size   bigint,
    ADD COLUMN width            integer,
    ADD COLUMN height           integer,
    ADD COLUMN duration_ms      bigint,
    ADD COLUMN frames           integer,
    ADD COLUMN processed_at     timestamptz,
    ADD COLUMN problem          text,
    -- When the sweep asks for processing again; null once it has ended.
    ADD COLUMN process_again    timestamptz DEFAULT now() + interval '10 minutes',
    ADD CHECK ((processed_at IS NULL) = (process_again IS NOT NULL));
CREATE INDEX media_by_type ON media (workspace_id, type, id DESC);
CREATE INDEX media_unprocessed ON media (process_again) WHERE process_again IS NOT NULL;

-- Direct uploads that were begun and not completed. Their size is reserved in workspace_usage.
CREATE TABLE media_upload (
    id           uuid PRIMARY KEY, -- of the asset to be
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    name         text NOT NULL,
    content_type text NOT NULL,
    size         bigint NOT NULL CHECK (size > 0),
    object_key   text NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    -- Until then one request copies and checks the bytes; others wait for it.
    claimed_until timestamptz
);
CREATE INDEX media_upload_by_expiry ON media_upload (expires_at);

-- Imports by address. A row is kept for a day after its end: it answers a request that is repeated with its key.
CREATE TABLE media_import (
    id              uuid PRIMARY KEY, -- of the asset to be
    workspace_id    uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    url             bytea, -- sealed, it may hold a secret; null once it has ended
    name            text NOT NULL DEFAULT '',
    source_url      text,
    state           text NOT NULL CHECK (state IN ('RUNNING', 'DONE', 'FAILED')),
    error_code      text,
    error_text      text,
    idempotency_key text CHECK (octet_length(idempotency_key) BETWEEN 1 AND 255),
    fingerprint     bytea CHECK (octet_length(fingerprint) = 32),
    created_at      timestamptz NOT NULL,
    deadline        timestamptz NOT NULL,
    finished_at     timestamptz,
    CHECK ((state = 'RUNNING') = (url IS NOT NULL)),
    CHECK ((state = 'RUNNING') = (finished_at IS NULL)),
    CHECK ((state = 'FAILED') = (error_code IS NOT NULL))
);
-- A failed import leaves its key free.
CREATE UNIQUE INDEX media_import_key ON media_import (workspace_id, idempotency_key) WHERE state <> 'FAILED';
CREATE INDEX media_import_running ON media_import (deadline) WHERE state = 'RUNNING';
CREATE INDEX media_import_running_by_workspace ON media_import (workspace_id) WHERE state = 'RUNNING';
CREATE INDEX media_import_by_age ON media_import (finished_at) WHERE state <> 'RUNNING';

-- Objects in storage that no asset has, or has yet. A key stands here from before its object is written until a commit
-- gives it to an asset; what still stands here when its time has come is deleted. So no crash leaves an object behind.
CREATE TABLE loose_object (
    key          text PRIMARY KEY,
    delete_after timestamptz NOT NULL
);
CREATE INDEX loose_object_by_time ON loose_object (delete_after);

-- Who uses an asset. While a row stands, the asset cannot be deleted; the foreign key decides when both are tried at once.
CREATE TABLE media_reference (
    media_id     uuid NOT NULL REFERENCES media,
    workspace_id uuid NOT NULL REFERENCES workspace ON DELETE CASCADE,
    owner_type   text NOT NULL CHECK (owner_type IN
        ('POST', 'BRAND_LOGO', 'BRAND_PERSONA_PHOTO', 'BRAND_STYLE_REFERENCE', 'WORKSPACE_LOGO', 'CHANNEL_AVATAR')),
    owner_id     uuid NOT NULL,
    label        text NOT NULL DEFAULT '', -- how people know an owner that has no table of its own
    PRIMARY KEY (owner_type, owner_id, media_id)
);
CREATE INDEX media_reference_by_media ON media_reference (media_id);

ALTER TABLE outbox
    DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check CHECK (kind IN ('post', 'restart', 'delivery', 'import', 'media'));

-- +goose Down
DELETE FROM outbox WHERE kind IN ('import', 'media');
ALTER TABLE outbox
    DROP CONSTRAINT outbox_kind_check,
    ADD CONSTRAINT outbox_kind_check CHECK (kind IN ('post', 'restart', 'delivery'));
DROP TABLE media_reference, loose_object, media_import, media_upload;
DELETE FROM media;
DROP INDEX media_by_type;
ALTER TABLE media
    DROP COLUMN source_url, DROP COLUMN object_key, DROP COLUMN etag, DROP COLUMN sha256,
    DROP COLUMN published_key, DROP COLUMN published_etag, DROP COLUMN published_size, DROP COLUMN published_sha256,
    DROP COLUMN thumbnail_key, DROP COLUMN thumbnail_type, DROP COLUMN thumbnail_size,
    DROP COLUMN width, DROP COLUMN height, DROP COLUMN duration_ms, DROP COLUMN frames,
    DROP COLUMN processed_at, DROP COLUMN problem, DROP COLUMN process_again;
