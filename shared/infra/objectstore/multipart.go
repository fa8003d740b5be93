package objectstore

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/minio/minio-go/v7"
)

// multipart is an upload in parts. The object appears when it is complete; until then the store keeps the parts
// separately.
type multipart struct {
	store   *Store
	core    minio.Core
	request PutRequest
	id      string
	parts   []minio.CompletePart
	sent    int64
}

func (s *Store) beginMultipart(ctx context.Context, request PutRequest) (*multipart, error) {
	core := minio.Core{Client: s.client}
	call, cancel := s.callContext(ctx, s.config.CallTimeout)
	defer cancel()
	id, err := core.NewMultipartUpload(call, s.config.Bucket, request.Key, request.options())
	if err != nil {
		return nil, s.failure(call, "put", request.Key, err)
	}
	return &multipart{store: s, core: core, request: request, id: id}, nil
}

// run sends the filled part, then the rest of the body, one part after the other.
func (m *multipart) run(ctx context.Context, part *bytes.Buffer, body io.Reader) (etag string, err error) {
	more := true
	for {
		if part.Len() > 0 {
			if err = m.send(ctx, part.Bytes()); err != nil {
				return "", err
			}
		}
		if !more {
			return m.complete(ctx)
		}
		if more, err = fill(part, body); err != nil {
			return "", err
		}
	}
}

func (m *multipart) send(ctx context.Context, part []byte) error {
	m.sent += int64(len(part))
	if m.sent > MaxSize {
		return fmt.Errorf("objectstore: put %s: the content is longer than %d bytes", m.request.Key, int64(MaxSize))
	}
	call, dog := watch(ctx, m.store.config.StallTimeout)
	defer dog.end()
	number := len(m.parts) + 1
	done, err := m.core.PutObjectPart(call, m.store.config.Bucket, m.request.Key, m.id, number,
		m.store.watched(bytes.NewReader(part), dog), int64(len(part)), minio.PutObjectPartOptions{})
	if err != nil {
		return m.store.failure(call, "put", m.request.Key, err)
	}
	m.parts = append(m.parts, minio.CompletePart{PartNumber: number, ETag: done.ETag})
	return nil
}

func (m *multipart) complete(ctx context.Context) (string, error) {
	call, cancel := m.store.callContext(ctx, m.store.config.FinishTimeout)
	defer cancel()
	done, err := m.core.CompleteMultipartUpload(call, m.store.config.Bucket, m.request.Key, m.id, m.parts,
		minio.PutObjectOptions{})
	if err != nil {
		return "", m.store.failure(call, "put", m.request.Key, err)
	}
	return trimETag(done.ETag), nil
}

// abort deletes the parts, even if the caller's context has ended. If it fails, the store's lifecycle rule for
// unfinished uploads deletes them.
func (m *multipart) abort(ctx context.Context) {
	call, cancel := m.store.callContext(context.WithoutCancel(ctx), m.store.config.CallTimeout)
	defer cancel()
	_ = m.core.AbortMultipartUpload(call, m.store.config.Bucket, m.request.Key, m.id)
}
