package objectstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/minio/minio-go/v7"
)

// JoinRequest describes the concatenation of objects within the bucket.
type JoinRequest struct {
	// From are the objects in their order, as Stat returned them. All but the last need at least 5 MiB, none more than 5 GiB.
	From []Info
	To   string
	// ContentType applies to the new object. Nothing else of the sources is copied, as by Copy.
	ContentType string
}

// Join concatenates objects on the server and returns the ETag of the new object, which replaces an existing one. It returns
// ErrChanged if a source no longer has its ETag and ErrNotFound if one does not exist, and stores nothing then. As for Copy,
// security checks must read the new object.
func (s *Store) Join(ctx context.Context, request JoinRequest) (etag string, err error) {
	faults := []error{checkKey(request.To), checkContentType(request.ContentType)}
	if len(request.From) == 0 {
		faults = append(faults, errors.New("objectstore: nothing to join"))
	}
	for _, from := range request.From {
		faults = append(faults, checkKey(from.Key))
		if from.ETag == "" {
			faults = append(faults, fmt.Errorf("objectstore: joining %s requires its ETag", from.Key))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return "", err
	}
	upload, err := s.beginMultipart(ctx, PutRequest{Key: request.To, ContentType: request.ContentType})
	if err != nil {
		return "", err
	}
	etag, err = upload.join(ctx, request.From)
	if err != nil {
		upload.abort(ctx)
	}
	return etag, err
}

// join copies objects as parts, one after the other.
func (m *multipart) join(ctx context.Context, from []Info) (etag string, err error) {
	for _, source := range from {
		if err := m.copy(ctx, source); err != nil {
			return "", err
		}
	}
	return m.complete(ctx)
}

func (m *multipart) copy(ctx context.Context, source Info) error {
	call, cancel := m.store.callContext(ctx, m.store.config.FinishTimeout)
	defer cancel()
	bucket := m.store.config.Bucket
	const whole = -1
	done, err := m.core.CopyObjectPart(call, bucket, source.Key, bucket, m.request.Key, m.id, len(m.parts)+1, 0, whole,
		map[string]string{"x-amz-copy-source-if-match": source.ETag})
	if err != nil {
		return m.store.failure(call, "join", source.Key+" to "+m.request.Key, err)
	}
	m.parts = append(m.parts, minio.CompletePart{PartNumber: done.PartNumber, ETag: done.ETag})
	return nil
}
