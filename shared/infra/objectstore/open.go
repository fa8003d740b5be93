package objectstore

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"
)

// Range is a part of an object. The zero Range is all of it.
type Range struct {
	Offset int64 // of the first byte; it must lie within the object
	Length int64 // bytes at most; zero means up to the end
}

func (r Range) isWhole() bool { return r == Range{} }

func (r Range) options() (minio.GetObjectOptions, error) {
	options := minio.GetObjectOptions{}
	switch {
	case r.Offset < 0 || r.Length < 0 || r.Offset+r.Length < 0:
		return options, errors.New("objectstore: a range is negative")
	case r.isWhole():
		return options, nil
	case r.Length == 0:
		return options, options.SetRange(r.Offset, 0)
	}
	return options, options.SetRange(r.Offset, r.Offset+r.Length-1)
}

// Reader streams an object. It must be closed. It is not safe for concurrent use.
type Reader struct {
	store *Store
	info  Info
	body  io.ReadCloser
	call  context.Context //nolint:containedctx // of this one request, whose end says why a read failed
	dog   *watchdog
}

// Open begins to read an object; ErrNotFound when there is none. The context bounds the whole transfer. All bytes that the
// Reader gives belong to the content with its ETag, also when the object is replaced meanwhile.
func (s *Store) Open(ctx context.Context, key string, part Range) (*Reader, error) {
	options, err := part.options()
	if err = errors.Join(checkKey(key), err); err != nil {
		return nil, err
	}
	call, dog := watch(ctx, s.config.CallTimeout)
	body, object, header, err := minio.Core{Client: s.client}.GetObject(call, s.config.Bucket, key, options)
	if err != nil {
		defer dog.end()
		return nil, s.failure(call, "open", key, err)
	}
	dog.rest()
	reader := &Reader{store: s, info: infoOf(object), body: body, call: call, dog: dog}
	if !part.isWhole() {
		if reader.info.Size, err = wholeSize(header); err != nil {
			_ = reader.Close()
			return nil, s.failure(ctx, "open", key, err)
		}
	}
	return reader, nil
}

// Info describes the whole object, also when only a part of it is read.
func (r *Reader) Info() Info { return r.info }

// Read reads. Its error is ErrUnavailable when the transfer was cut or stalled: what came until then is incomplete.
func (r *Reader) Read(p []byte) (int, error) {
	r.dog.expect(r.store.config.StallTimeout)
	n, err := r.body.Read(p)
	r.dog.rest()
	if err == nil || errors.Is(err, io.EOF) {
		return n, err
	}
	return n, r.store.failure(r.call, "read", r.info.Key, err)
}

// Close ends the transfer, finished or not.
func (r *Reader) Close() error {
	// The context first: closing alone would wait for the answer's rest.
	r.dog.end()
	return r.body.Close()
}

// wholeSize is the size of the object that a part was taken from. Without it the store did not honour the range, and
// gives other bytes than were asked for.
func wholeSize(header http.Header) (int64, error) {
	_, total, _ := strings.Cut(header.Get("Content-Range"), "/")
	size, err := strconv.ParseInt(total, 10, 64)
	if err != nil {
		return 0, errors.New("the store answered without the range that was asked for")
	}
	return size, nil
}
