package objectstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/minio/minio-go/v7"
)

// UnknownSize is the Size of a body of unknown size. Such a body is sent in parts of 8 MiB, each held in memory.
const UnknownSize = -1

// MaxSize is the maximum size of an object, in bytes: the S3 limit for one request.
const MaxSize = 5 << 30

// partSize is the part size of a multipart upload; S3 requires at least 5 MiB for all parts but the last.
const partSize = 8 << 20

// PutRequest describes an object to store.
type PutRequest struct {
	Key          string
	Body         io.Reader // read to its end, and not after Put has returned: a read must end with the context
	Size         int64     // size of Body in bytes, or UnknownSize
	ContentType  string
	CacheControl string // optional
}

// Stored describes an object that Put stored.
type Stored struct {
	Size   int64
	ETag   string
	SHA256 [sha256.Size]byte // computed during the upload
}

// Put stores an object and replaces an existing one. It is atomic: no partial object is ever visible, and a body that
// fails, or whose size differs from the declared one, leaves the previous object unchanged. An error of Body is
// returned wrapped.
//
// After ErrUnavailable and after the end of the context, the object may or may not exist.
func (s *Store) Put(ctx context.Context, request PutRequest) (Stored, error) {
	if err := request.validate(); err != nil {
		return Stored{}, err
	}
	body := newContent(request.Body, request.Size)
	var etag string
	var err error
	if request.Size == UnknownSize {
		etag, err = s.putParts(ctx, request, body)
	} else {
		etag, err = s.putWhole(ctx, request, body, request.Size)
	}
	if failed := body.release(); failed != nil {
		return Stored{}, fmt.Errorf("objectstore: put %s: read the content: %w", request.Key, failed)
	}
	if err != nil {
		return Stored{}, err
	}
	sum, size := body.digest()
	return Stored{Size: size, ETag: etag, SHA256: sum}, nil
}

func (r PutRequest) validate() error {
	faults := []error{checkKey(r.Key), checkContentType(r.ContentType), checkHeader("Cache-Control", r.CacheControl)}
	if r.Body == nil {
		faults = append(faults, errors.New("objectstore: no body to put"))
	}
	if r.Size < UnknownSize || r.Size > MaxSize {
		faults = append(faults, fmt.Errorf("objectstore: %d bytes cannot be put", r.Size))
	}
	return errors.Join(faults...)
}

func (r PutRequest) options() minio.PutObjectOptions {
	return minio.PutObjectOptions{
		ContentType: r.ContentType, CacheControl: r.CacheControl,
		DisableMultipart: true, // the library would start one at 16 MiB
	}
}

// putWhole sends a body of known size in one request.
func (s *Store) putWhole(ctx context.Context, request PutRequest, body io.Reader, size int64) (string, error) {
	if size == 0 {
		// The library does not read an empty body.
		if _, err := io.Copy(io.Discard, body); err != nil {
			return "", err
		}
	}
	call, dog := watch(ctx, s.config.StallTimeout)
	defer dog.end()
	done, err := s.client.PutObject(call, s.config.Bucket, request.Key, s.watched(body, dog), size, request.options())
	if err != nil {
		return "", s.failure(call, "put", request.Key, err)
	}
	return trimETag(done.ETag), nil
}

// putParts sends a body of unknown size, in one request if it ends within the first part.
func (s *Store) putParts(ctx context.Context, request PutRequest, body io.Reader) (string, error) {
	part := new(bytes.Buffer)
	more, err := fill(part, body)
	if err != nil {
		return "", err
	}
	if !more {
		return s.putWhole(ctx, request, bytes.NewReader(part.Bytes()), int64(part.Len()))
	}
	upload, err := s.beginMultipart(ctx, request)
	if err != nil {
		return "", err
	}
	etag, err := upload.run(ctx, part, body)
	if err != nil {
		upload.abort(ctx)
	}
	return etag, err
}

// fill reads the next part and reports whether the body may have more.
func fill(part *bytes.Buffer, body io.Reader) (more bool, err error) {
	part.Reset()
	part.Grow(partSize + bytes.MinRead) // at once: growing step by step would take four times as much memory
	_, err = io.CopyN(part, body, partSize)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, err
}

func (s *Store) watched(body io.Reader, dog *watchdog) io.Reader {
	return &watchedBody{body: body, dog: dog, limit: s.config.StallTimeout}
}
