// Package objectstoretest gives each test its own bucket on a real object store: that of the development stack.
package objectstoretest

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/objectstore"
)

// Open creates an empty bucket and deletes it with its content after the test.
func Open(t testing.TB) *objectstore.Store {
	t.Helper()
	return New(t, Config(t))
}

// Absent returns a store without a bucket, for tests of code that needs a store but uses no file.
func Absent(t testing.TB) *objectstore.Store {
	t.Helper()
	return New(t, objectstore.Config{
		Endpoint: "http://127.0.0.1:9", AccessKey: "none", SecretKey: "none", Bucket: "absent",
	})
}

// New returns a store with a modified configuration of Config.
func New(t testing.TB, config objectstore.Config) *objectstore.Store {
	t.Helper()
	store, err := objectstore.New(config)
	require.NoError(t, err)
	return store
}

// Config is Open for tests that need another configuration or pass it to a process.
//
// The store is the development stack's MinIO, or the store that these variables configure: TEST_S3_ENDPOINT,
// TEST_S3_ACCESS_KEY, TEST_S3_SECRET_KEY, and optionally TEST_S3_REGION, TEST_S3_ADDRESSING and TEST_S3_CA, the file of
// the certificate authority that signed its certificate.
func Config(t testing.TB) objectstore.Config {
	t.Helper()
	config := objectstore.Config{
		Endpoint:   variable(t, "TEST_S3_ENDPOINT"),
		AccessKey:  variable(t, "TEST_S3_ACCESS_KEY"),
		SecretKey:  variable(t, "TEST_S3_SECRET_KEY"),
		Bucket:     "test-" + strings.ReplaceAll(uuid.NewString(), "-", ""),
		Region:     os.Getenv("TEST_S3_REGION"),
		Addressing: objectstore.Addressing(os.Getenv("TEST_S3_ADDRESSING")),
		Transport:  Transport(t),
	}
	require.NoError(t, New(t, config).EnsureBucket(t.Context()))
	t.Cleanup(func() { remove(t, config) })
	return config
}

// Transport returns a transport that reaches the store as clients do. It trusts the store's own authority and resolves
// every name below localhost to this machine, as browsers do.
func Transport(t testing.TB) *http.Transport {
	t.Helper()
	var roots *x509.CertPool
	if path := os.Getenv("TEST_S3_CA"); path != "" {
		certificate, err := os.ReadFile(path)
		require.NoError(t, err)
		roots = x509.NewCertPool()
		require.True(t, roots.AppendCertsFromPEM(certificate))
	}
	transport := objectstore.NewTransport(roots)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if host, port, err := net.SplitHostPort(address); err == nil && strings.HasSuffix(host, ".localhost") {
			address = net.JoinHostPort("127.0.0.1", port)
		}
		return dial(ctx, network, address)
	}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// Raw returns a client with all rights, for operations that a Store does not offer.
func Raw(t testing.TB, config objectstore.Config) *minio.Client {
	t.Helper()
	address, err := url.Parse(config.Endpoint)
	require.NoError(t, err)
	region, lookup := config.Region, minio.BucketLookupAuto
	region = cmp.Or(region, objectstore.DefaultRegion)
	if config.Addressing == objectstore.AddressingVirtual {
		lookup = minio.BucketLookupDNS
	}
	client, err := minio.New(address.Host, &minio.Options{
		Creds:  credentials.NewStaticV4(config.AccessKey, config.SecretKey, ""),
		Secure: address.Scheme == "https", Region: region, BucketLookup: lookup, Transport: config.Transport,
	})
	require.NoError(t, err)
	return client
}

func variable(t testing.TB, name string) string {
	t.Helper()
	value := os.Getenv(name)
	require.NotEmpty(t, value, "%s is not set: run the tests with `make test`, which starts MinIO", name)
	return value
}

// remove deletes the bucket. It repeats this, because the store may still complete a request that a client has abandoned. It
// does not stop the test: after subtests, a cleanup that stops it would hide its report.
func remove(t testing.TB, config objectstore.Config) {
	t.Helper()
	const limit = 30 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), limit) //nolint:usetesting // the test's context has ended
	defer cancel()
	config.Transport = Transport(t)
	client := Raw(t, config)
	var err error
	for ctx.Err() == nil {
		if err = removeOnce(ctx, client, config.Bucket); err == nil {
			return
		}
		<-time.After(100 * time.Millisecond)
	}
	t.Errorf("the bucket was not deleted: %v", err)
}

// removeOnce empties the bucket before deleting it, which all stores support; MinIO could delete a bucket with content.
func removeOnce(ctx context.Context, client *minio.Client, bucket string) error {
	objects := client.ListObjects(ctx, bucket, minio.ListObjectsOptions{Recursive: true})
	var errs []error
	for failed := range client.RemoveObjects(ctx, bucket, objects, minio.RemoveObjectsOptions{}) {
		errs = append(errs, failed.Err)
	}
	for upload := range client.ListIncompleteUploads(ctx, bucket, "", true) {
		if upload.Err != nil {
			errs = append(errs, upload.Err)
			break
		}
		errs = append(errs, client.RemoveIncompleteUpload(ctx, bucket, upload.Key))
	}
	return errors.Join(append(errs, client.RemoveBucket(ctx, bucket))...)
}
