// Package objectstore stores files in one private bucket of any S3-compatible service. It is independent of the content
// of the files.
//
// Guarantees for callers:
//
//   - A call is one request and is never retried silently; only Put of a body of unknown size takes several requests.
//   - No call waits without a bound: not for a connection, not for a response, and not for a stalled transfer.
//   - Clients access single objects only by signed URLs. A signed URL allows one method on one key until it expires;
//     for an upload it also fixes the content type and the exact size.
//   - No error contains a credential or a signature.
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
	client *minio.Client // connects to Config.Endpoint
	signer *minio.Client // signs for Config.PublicEndpoint; never connects
}

// New validates the configuration and returns a store. It does not connect.
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
		Region:       config.Region, // with a region, no call requests the bucket's region
		BucketLookup: config.Addressing.lookup(),
		// The library's default is 10 attempts, up to a second apart, for every call whose body can be reread.
		MaxRetries: 1,
	})
	if err != nil {
		return nil, fmt.Errorf("objectstore: %s", printable(err.Error()))
	}
	// Otherwise the library replaces an Amazon host with another Amazon host.
	client.SetS3EnableDualstack(isDualStack(host))
	return client, nil
}

// EnsureBucket creates the bucket unless it exists; a new bucket is private. An existing bucket is not changed, and
// only needs the right to check its existence. EnsureBucket is for development and tests: in production, create the
// bucket beforehand, without versioning, without public access, and with a rule that deletes unfinished multipart
// uploads after a day.
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
		return nil // another program created it in the meantime
	}
	return failed
}

// Ping checks that the bucket can be reached with the credentials. It returns ErrUnavailable if the store does not
// respond, and another error if the bucket is missing or the credentials are not sufficient.
func (s *Store) Ping(ctx context.Context) error {
	exists, err := s.bucketExists(ctx)
	if err == nil && !exists {
		return fmt.Errorf("objectstore: there is no bucket %s", s.config.Bucket)
	}
	return err
}

// IsVersioned reports whether the bucket keeps replaced and deleted objects.
func (s *Store) IsVersioned(ctx context.Context) (bool, error) {
	call, cancel := s.callContext(ctx, s.config.CallTimeout)
	defer cancel()
	found, err := s.client.GetBucketVersioning(call, s.config.Bucket)
	if err != nil {
		return false, s.failure(call, "read versioning of bucket", s.config.Bucket, err)
	}
	return found.Enabled(), nil
}

func (s *Store) bucketExists(ctx context.Context) (bool, error) {
	call, cancel := s.callContext(ctx, s.config.CallTimeout)
	defer cancel()
	exists, err := s.client.BucketExists(call, s.config.Bucket)
	if err != nil {
		return false, s.failure(call, "check bucket", s.config.Bucket, err)
	}
	return exists, nil
}

func (s *Store) callContext(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, errNoResponse)
}
