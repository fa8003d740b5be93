// Package objectstoretest gives tests a bucket of their own on the object store that the development stack started.
package objectstoretest

import (
	"context"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/objectstore"
)

// Open makes an empty bucket, and removes it after the test with all that is in it.
func Open(t testing.TB) *objectstore.Store {
	t.Helper()
	return New(t, Config(t))
}

// Absent is a store without its bucket, for tests that make what needs a store but come near no file.
func Absent(t testing.TB) *objectstore.Store {
	t.Helper()
	return New(t, objectstore.Config{Endpoint: "http://127.0.0.1:9", AccessKey: "none", SecretKey: "none", Bucket: "absent"})
}

// New makes a store with a configuration that began as Config's, for tests that change it.
func New(t testing.TB, config objectstore.Config) *objectstore.Store {
	t.Helper()
	store, err := objectstore.New(config)
	require.NoError(t, err)
	return store
}

// Config is Open for tests that need another configuration, or hand it to a process.
func Config(t testing.TB) objectstore.Config {
	t.Helper()
	config := objectstore.Config{
		Endpoint:  variable(t, "TEST_S3_ENDPOINT"),
		AccessKey: variable(t, "TEST_S3_ACCESS_KEY"),
		SecretKey: variable(t, "TEST_S3_SECRET_KEY"),
		Bucket:    "test-" + strings.ReplaceAll(uuid.NewString(), "-", ""),
	}
	require.NoError(t, New(t, config).EnsureBucket(t.Context()))
	t.Cleanup(func() { remove(t, config) })
	return config
}

func variable(t testing.TB, name string) string {
	t.Helper()
	value := os.Getenv(name)
	require.NotEmpty(t, value, "%s is not set: run the tests with `make test`, which starts MinIO", name)
	return value
}

func remove(t testing.TB, config objectstore.Config) {
	t.Helper()
	const limit = 30 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), limit) //nolint:usetesting // the test's context has ended
	defer cancel()
	address, err := url.Parse(config.Endpoint)
	require.NoError(t, err)
	client, err := minio.New(address.Host, &minio.Options{
		Creds:  credentials.NewStaticV4(config.AccessKey, config.SecretKey, ""),
		Secure: address.Scheme == "https",
		Region: objectstore.DefaultRegion,
	})
	require.NoError(t, err)
	err = client.RemoveBucketWithOptions(ctx, config.Bucket, minio.RemoveBucketOptions{ForceDelete: true})
	require.NoError(t, err)
}
