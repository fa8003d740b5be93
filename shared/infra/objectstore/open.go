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

// Range is a part of an object. The zero Range is the whole object.
type Range struct {
	Offset int64 // of the first byte; it must be within the object
	Length int64 // maximum number of bytes; zero means up to the end
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
	call  context.Context //nolint:containedctx // the context of this request; its cause explains a failed read
	dog   *watchdog
}

// Open starts to read an object; ErrNotFound if it does not exist. The context bounds the whole transfer. All bytes
// that the Reader returns belong to the content with its ETag, even if the object is replaced in the meantime.
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

// Info returns the metadata of the whole object, even if only a part of it is read.
func (r *Reader) Info() Info { return r.info }

// Read reads the object. Its error is ErrUnavailable if the transfer was interrupted or stalled; the bytes read so far
// are then incomplete.
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
	// Cancel the context first: closing alone would wait for the rest of the response.
	r.dog.end()
	return r.body.Close()
}

// wholeSize returns the size of the object from which a part was read. Without a size in the response, the store
// ignored the range and returns other bytes than requested.
func wholeSize(header http.Header) (int64, error) {
	_, total, _ := strings.Cut(header.Get("Content-Range"), "/")
	size, err := strconv.ParseInt(total, 10, 64)
	if err != nil {
		return 0, errors.New("the store responded without the requested range")
	}
	return size, nil
}
