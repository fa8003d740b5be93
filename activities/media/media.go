// Package media imports files by URL, processes uploaded and imported files, and opens and converts the attachments of
// posts (docs/contract.md, Media).
//
// Object storage and database cannot be written in one transaction. Therefore a key is inserted into the table of loose
// objects before its object is written, and deleted in the transaction that assigns the object to an asset. After a
// crash at any point, every row has its object, and an object without a row is deleted later.
package media

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"fencepost.internal/activities/heartbeat"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
)

// Crash points; a test kills the process at each of them.
const (
	FailImportBeforeStore   = "import.before_store"
	FailImportAfterStore    = "import.after_store"
	FailImportAfterRecord   = "import.after_record"
	FailProcessAfterOpen    = "process.after_open"
	FailProcessBeforeRecord = "process.before_record"
	FailProcessAfterRecord  = "process.after_record"
	FailConvertBeforeRecord = "convert.before_record"
	FailConvertAfterRecord  = "convert.after_record"
)

const (
	recordTimeout = 10 * time.Second
	removeTimeout = 3 * time.Second
)

// depot writes objects whose keys are registered first.
type depot struct {
	objects *objectstore.Store
	loose   *postgres.Loose
	logger  *slog.Logger
}

// put stores an object under a new key. The object is deleted after life unless an asset adopts it.
func (d depot) put(
	ctx context.Context, body io.Reader, size int64, contentType string, life time.Duration,
) (media.Object, error) {
	object := media.Object{Key: media.NewKey(), ContentType: contentType}
	if err := d.loose.Register(ctx, object.Key, life); err != nil {
		return media.Object{}, err
	}
	stored, err := d.objects.Put(ctx, objectstore.PutRequest{
		Key: object.Key, Body: body, Size: size, ContentType: contentType,
	})
	if err != nil {
		return object, err
	}
	object.Size, object.ETag, object.SHA256 = stored.Size, stored.ETag, stored.SHA256[:]
	return object, nil
}

// discard tries to delete a loose object within a short time; the clean-up deletes it otherwise.
func (d depot) discard(ctx context.Context, key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
	defer cancel()
	err := d.objects.Delete(ctx, key)
	if err == nil {
		err = d.loose.Remove(ctx, key)
	}
	if err != nil {
		d.logger.InfoContext(ctx, "object left to the cleanup", slog.String("key", key), slog.Any("error", err))
	}
}

// progress counts the bytes that an activity has transferred.
type progress struct{ bytes atomic.Int64 }

// Write adds the length of data.
func (p *progress) Write(data []byte) (int, error) {
	p.bytes.Add(int64(len(data)))
	return len(data), nil
}

// reportProgress sends heartbeats with the number of bytes transferred so far, until the returned function is called.
func reportProgress(ctx context.Context) (*progress, func()) {
	moved := &progress{}
	return moved, heartbeat.Keep(ctx, func() any { return moved.bytes.Load() })
}
