// Package objectstore keeps files in one private bucket of any service that speaks the S3 protocol. It knows nothing of
// what the files are.
//
// What a caller may rely on:
//
//   - A call is one request and is never repeated behind the caller's back; only Put of a body of unknown size takes several.
//   - No call waits without bounds: neither for a connection, nor for an answer, nor on a transfer that no longer moves.
//   - Clients reach single objects by signed addresses alone. Such an address allows one method on one key until it
//     expires; for an upload it also fixes the content type and the exact size.
//   - No error holds a credential or a signature.
//
// Only plain S3 is used: single PUT, GET with a range, HEAD, DELETE, server-side copy, ListObjectsV2, multipart upload.
package objectstore

import (
	"context"
	"fmt"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Store is a bucket. It is safe for concurrent use.
type Store struct {
	config Config
	client *minio.Client // speaks to Config.Endpoint
	signer *minio.Client // signs for Config.PublicEndpoint; never connects
}

// New checks the configuration and makes a store. It does not connect.
func New(config Config) (*Store, error) {
	config.setDefaults()
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("objectstore: %w", err)
	}
	client, err := newClient(config, config.Endpoint)
	if err != nil {
		return nil, err
	}
	signer, err := newClient(config, config.PublicEndpoint)
	if err != nil {
		return nil, err
	}
	return &Store{config: config, client: client, signer: signer}, nil
}

func newClient(config Config, endpoint string) (*minio.Client, error) {
	host, secure, err := splitEndpoint(endpoint)
	if err != nil {
		return nil, fmt.Errorf("objectstore: %w", err)
	}
	client, err := minio.New(host, &minio.Options{
		Creds:        credentials.NewStaticV4(config.AccessKey, config.SecretKey, ""),
		Secure:       secure,
		Transport:    tolerant{config.Transport},
		Region:       config.Region, // with a region, no call asks for the bucket's
		BucketLookup: config.Addressing.lookup(),
		// The library's own is 10 tries with up to a second between them, of every call whose body can be read again.
		MaxRetries: 1,
	})
	if err != nil {
		return nil, fmt.Errorf("objectstore: %s", printable(err.Error()))
	}
	// Otherwise the library replaces an address at Amazon by another one of Amazon's.
	client.SetS3EnableDualstack(isDualStack(host))
	return client, nil
}

// EnsureBucket makes the bucket unless it exists; a new bucket is private. An existing one is left as it is, and enough for
// it is the right to look at it. For development and tests: in production the bucket is made beforehand, without
// versioning, closed to the public, and with a rule that drops unfinished multipart uploads after a day.
func (s *Store) EnsureBucket(ctx context.Context) error {
	exists, err := s.bucketExists(ctx)
	if err != nil || exists {
		return err
	}
	call, cancel := s.callContext(ctx, s.config.CallTimeout)
	defer cancel()
	err = s.client.MakeBucket(call, s.config.Bucket, minio.MakeBucketOptions{Region: s.config.Region})
	if err == nil {
		return nil
	}
	failed := s.failure(call, "make bucket", s.config.Bucket, err)
	if exists, err = s.bucketExists(ctx); err == nil && exists {
		return nil // another program made it in the meantime
	}
	return failed
}

// Ping tells whether the bucket can be reached with the credentials. ErrUnavailable when the store does not answer; another
// error when it answers, but the bucket is missing or the credentials do not suffice.
func (s *Store) Ping(ctx context.Context) error {
	exists, err := s.bucketExists(ctx)
	if err == nil && !exists {
		return fmt.Errorf("objectstore: there is no bucket %s", s.config.Bucket)
	}
	return err
}

func (s *Store) bucketExists(ctx context.Context) (bool, error) {
	call, cancel := s.callContext(ctx, s.config.CallTimeout)
	defer cancel()
	exists, err := s.client.BucketExists(call, s.config.Bucket)
	if err != nil {
		return false, s.failure(call, "look at bucket", s.config.Bucket, err)
	}
	return exists, nil
}

func (s *Store) callContext(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, errNoAnswer)
}
