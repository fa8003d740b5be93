package objectstore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/minio/minio-go/v7"
)

// Info is the metadata of an object.
type Info struct {
	Key         string
	Size        int64  // bytes
	ETag        string // without quotes; differs between contents, unless an uploader forged it
	ContentType string // as declared by the uploader; empty in a listing
	ModifiedAt  time.Time
}

func infoOf(object minio.ObjectInfo) Info {
	return Info{
		Key: object.Key, Size: object.Size, ETag: trimETag(object.ETag), ContentType: object.ContentType,
		ModifiedAt: object.LastModified.UTC(),
	}
}

// Stat returns the metadata of an object; ErrNotFound if it does not exist.
func (s *Store) Stat(ctx context.Context, key string) (Info, error) {
	if err := checkKey(key); err != nil {
		return Info{}, err
	}
	call, cancel := s.callContext(ctx, s.config.CallTimeout)
	defer cancel()
	object, err := s.client.StatObject(call, s.config.Bucket, key, minio.StatObjectOptions{})
	if err != nil {
		return Info{}, s.failure(call, "stat", key, err)
	}
	return infoOf(object), nil
}

// CopyRequest describes a copy within the bucket.
type CopyRequest struct {
	From string
	ETag string // the ETag that From must still have
	To   string
	// ContentType and CacheControl apply to the copy. No other header and no tag of the source is copied, because a
	// signed upload may have set some of the uploader's choice.
	ContentType  string
	CacheControl string // optional
}

// Copy copies an object on the server, up to 5 GiB, and returns the ETag of the copy. It returns ErrChanged if the
// source no longer has the ETag and ErrNotFound if it does not exist, and copies nothing then. An existing object under
// To is replaced.
//
// The ETag protects against accidents only. An uploader can give two contents the same ETag, on MinIO at will, so
// security checks must read the copy.
func (s *Store) Copy(ctx context.Context, request CopyRequest) (etag string, err error) {
	if err = errors.Join(checkKeys(request.From, request.To), checkContentType(request.ContentType)); err != nil {
		return "", err
	}
	if request.ETag == "" {
		return "", errors.New("objectstore: a copy requires the ETag of its source")
	}
	call, cancel := s.callContext(ctx, s.config.FinishTimeout)
	defer cancel()
	done, err := s.client.CopyObject(call, minio.CopyDestOptions{
		Bucket: s.config.Bucket, Object: request.To,
		ReplaceMetadata: true, ContentType: request.ContentType, CacheControl: request.CacheControl,
		ReplaceTags: true, // with none
	}, minio.CopySrcOptions{
		Bucket: s.config.Bucket, Object: request.From, MatchETag: request.ETag,
	})
	if err != nil {
		return "", s.failure(call, "copy", request.From+" to "+request.To, err)
	}
	return trimETag(done.ETag), nil
}

// Delete deletes an object. A missing object is not an error.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	call, cancel := s.callContext(ctx, s.config.CallTimeout)
	defer cancel()
	err := s.client.RemoveObject(call, s.config.Bucket, key, minio.RemoveObjectOptions{})
	if err == nil {
		return nil
	}
	if failed := s.failure(call, "delete", key, err); !errors.Is(failed, ErrNotFound) {
		return failed
	}
	return nil
}

// List yields the objects whose key starts with the prefix and that were last modified before the given time, ordered
// by key; all of them if the time is zero. An error ends the listing. Objects may be deleted during the listing.
func (s *Store) List(ctx context.Context, prefix string, before time.Time) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		if err := checkPrefix(prefix); err != nil {
			yield(Info{}, err)
			return
		}
		if err := s.list(ctx, prefix, func(found Info) bool {
			return !before.IsZero() && !found.ModifiedAt.Before(before) || yield(found, nil)
		}); err != nil {
			yield(Info{}, err)
		}
	}
}

// list calls a function for each object until it returns false. The watchdog times each page separately.
func (s *Store) list(ctx context.Context, prefix string, each func(Info) bool) error {
	call, dog := watch(ctx, s.config.CallTimeout)
	defer dog.end()
	withoutOwner := false
	objects := s.client.ListObjectsIter(call, s.config.Bucket, minio.ListObjectsOptions{
		Prefix: prefix, Recursive: true, FetchOwner: &withoutOwner,
	})
	for object := range objects {
		dog.rest()
		if object.Err != nil {
			return s.failure(call, "list", prefix, object.Err)
		}
		if !each(infoOf(object)) {
			return nil
		}
		dog.expect(s.config.CallTimeout)
	}
	// The library ends its sequence without an error when the context ends.
	if err := call.Err(); err != nil {
		return s.failure(call, "list", prefix, fmt.Errorf("incomplete: %w", err))
	}
	return nil
}
