// Package media brings files into storage and looks into them: the import by address, the processing of what has
// arrived, and the attachments that go out with posts (specification, Media; decisions, section 6).
//
// Object storage and database cannot be written in one transaction. So a key stands in the table of loose objects before
// its object is written, and leaves it with the commit that gives the object to an asset. Whatever dies in between, no row
// is without its object, and no object is for long without its row.
package media

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"socialpub.internal/activities/heartbeat"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/infra/objectstore"
	"socialpub.internal/shared/infra/postgres"
)

// The crash points; a test kills the process at each of them.
const (
	FailImportBeforeStore   = "import.before_store"
	FailImportAfterStore    = "import.after_store"
	FailImportAfterRecord   = "import.after_record"
	FailProcessAfterOpen    = "process.after_open"
	FailProcessBeforeRecord = "process.before_record"
	FailProcessAfterRecord  = "process.after_record"
)

const (
	recordTimeout = 10 * time.Second
	removeTimeout = 3 * time.Second
)

// depot writes objects whose keys are known before.
type depot struct {
	objects *objectstore.Store
	loose   *postgres.Loose
	logger  *slog.Logger
}

// put stores an object under a key of its own, which is deleted after the time unless an asset takes it.
func (d depot) put(ctx context.Context, body io.Reader, size int64, contentType string, life time.Duration) (media.Object, error) {
	object := media.Object{Key: media.NewKey(), ContentType: contentType}
	if err := d.loose.Register(ctx, object.Key, life); err != nil {
		return media.Object{}, err
	}
	stored, err := d.objects.Put(ctx, objectstore.PutRequest{Key: object.Key, Body: body, Size: size, ContentType: contentType})
	if err != nil {
		return object, err
	}
	object.Size, object.ETag, object.SHA256 = stored.Size, stored.ETag, stored.SHA256[:]
	return object, nil
}

// discard deletes a loose object, as far as that goes quickly; the clean-up deletes the rest.
func (d depot) discard(ctx context.Context, key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
	defer cancel()
	err := d.objects.Delete(ctx, key)
	if err == nil {
		err = d.loose.Forget(ctx, key)
	}
	if err != nil {
		d.logger.InfoContext(ctx, "an object is left to the clean-up", slog.String("key", key), slog.Any("error", err))
	}
}

// progress counts the bytes that an activity has moved.
type progress struct{ bytes atomic.Int64 }

// Write counts.
func (p *progress) Write(data []byte) (int, error) {
	p.bytes.Add(int64(len(data)))
	return len(data), nil
}

// reportProgress sends heartbeats with the bytes moved so far until the returned function is called.
func reportProgress(ctx context.Context) (*progress, func()) {
	moved := &progress{}
	return moved, heartbeat.Keep(ctx, func() any { return moved.bytes.Load() })
}
