package objectstore_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
)

// calls returns all methods that connect.
func calls(store *objectstore.Store) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"ping":   store.Ping,
		"ensure": store.EnsureBucket,
		"stat": func(ctx context.Context) error {
			_, err := store.Stat(ctx, "a")
			return err
		},
		"open": func(ctx context.Context) error {
			_, err := store.Open(ctx, "a", objectstore.Range{})
			return err
		},
		"put": func(ctx context.Context) error {
			_, err := store.Put(ctx, objectstore.PutRequest{Key: "a", Body: strings.NewReader("x"), Size: 1, ContentType: png})
			return err
		},
		"put parts": func(ctx context.Context) error {
			_, err := store.Put(ctx, objectstore.PutRequest{
				Key: "a", Body: bytesOf(9 << 20), Size: objectstore.UnknownSize, ContentType: png,
			})
			return err
		},
		"copy": func(ctx context.Context) error {
			_, err := store.Copy(ctx, objectstore.CopyRequest{From: "a", ETag: "e", To: "b", ContentType: png})
			return err
		},
		"delete": func(ctx context.Context) error { return store.Delete(ctx, "a") },
		"list": func(ctx context.Context) error {
			for _, err := range store.List(ctx, "", time.Time{}) {
				return err
			}
			return nil
		},
	}
}

// TestStoreIsDown counts the attempts to reach a store that refuses connections: each call fails with the first one.
func TestStoreIsDown(t *testing.T) {
	t.Parallel()
	config := example()
	config.Endpoint = closedPort(t)
	for name := range calls(open(t, config)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			counted := &countedTransport{RoundTripper: objectstore.NewTransport(nil)}
			config := config
			config.Transport = counted
			err := calls(open(t, config))[name](t.Context())
			require.ErrorIs(t, err, objectstore.ErrUnavailable)
			require.ErrorContains(t, err, "connection refused")
			require.NotContains(t, err.Error(), config.SecretKey)
			require.EqualValues(t, 1, counted.requests.Load())
		})
	}
}

// countedTransport counts the requests of a store.
type countedTransport struct {
	http.RoundTripper

	requests atomic.Int64
}

// RoundTrip sends the request.
func (c *countedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	c.requests.Add(1)
	return c.RoundTripper.RoundTrip(request)
}

// TestUnresponsiveStore uses a store that accepts connections and never responds.
func TestUnresponsiveStore(t *testing.T) {
	t.Parallel()
	config := objectstoretest.Config(t)
	proxy := objectstoretest.NewProxy(t, config.Endpoint)
	proxy.Stall()
	config.Endpoint = proxy.Endpoint()
	config.CallTimeout, config.FinishTimeout, config.StallTimeout = 200*time.Millisecond, 200*time.Millisecond, 200*time.Millisecond
	for name, call := range calls(objectstoretest.New(t, config)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.ErrorIs(t, call(t.Context()), objectstore.ErrUnavailable)

			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			err := call(ctx)
			require.ErrorIs(t, err, objectstore.ErrUnavailable, "the caller's deadline")
			require.ErrorIs(t, err, context.DeadlineExceeded)

			ctx, stop := context.WithCancel(t.Context())
			stop()
			err = call(ctx)
			require.ErrorIs(t, err, context.Canceled)
			require.NotErrorIs(t, err, objectstore.ErrUnavailable, "the store was not awaited")
		})
	}
}

// TestRequestsAreNotRetried counts the requests to a store that responds with errors that libraries typically retry.
func TestRequestsAreNotRetried(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status int
		body   string
		want   error
	}{
		"internal error": {500, s3Error("InternalError"), objectstore.ErrUnavailable},
		"bad gateway":    {502, "<html>bad gateway</html>", objectstore.ErrUnavailable},
		"slow down":      {503, s3Error("SlowDown"), objectstore.ErrUnavailable},
		"too many":       {429, "", objectstore.ErrUnavailable},
		"timed out":      {400, s3Error("RequestTimeout"), objectstore.ErrUnavailable},
		"full":           {507, s3Error("XMinioStorageFull"), objectstore.ErrFull},
		"full, bare":     {507, "", objectstore.ErrFull},
		"quota":          {400, s3Error("XMinioAdminBucketQuotaExceeded"), objectstore.ErrFull},
		"denied":         {403, s3Error("AccessDenied"), nil},
		"not built":      {501, s3Error("NotImplemented"), nil},
		"moved":          {301, s3Error("PermanentRedirect"), nil},
		"not S3":         {404, "<html>not here</html>", objectstore.ErrNotFound},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requests := make(chan string, 100)
			config := fake(t, func(w http.ResponseWriter, r *http.Request) {
				requests <- r.Method
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "application/xml")
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			})
			store := open(t, config)
			_, err := store.Put(t.Context(), objectstore.PutRequest{
				Key: "a", Body: strings.NewReader(picture), Size: 10, ContentType: png,
			})
			require.Error(t, err)
			for _, kind := range []error{
				objectstore.ErrUnavailable, objectstore.ErrFull, objectstore.ErrNotFound, objectstore.ErrChanged,
			} {
				require.Equal(t, errors.Is(test.want, kind), errors.Is(err, kind), "%v: %v", kind, err)
			}
			require.Len(t, requests, 1)
			_, err = store.Open(t.Context(), "a", objectstore.Range{})
			require.Error(t, err)
			require.Len(t, requests, 2)
		})
	}
}

func s3Error(code string) string {
	return "<?xml version=\"1.0\"?><Error><Code>" + code +
		"</Code><Message>words</Message><RequestId>REQ1</RequestId></Error>"
}

// fake returns a configuration with TLS whose store is a function.
func fake(t *testing.T, handler http.HandlerFunc) objectstore.Config {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	config := example()
	config.Endpoint, config.Transport = server.URL, objectstore.NewTransport(roots)
	return config
}

func TestErrorsContainNoCredentials(t *testing.T) {
	t.Parallel()
	store := open(t, fake(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, "bad header: %s\x1b[31m", r.Header.Get("Authorization"))
	}))
	for name, call := range calls(store) {
		err := call(t.Context())
		require.Error(t, err, name)
		for _, secret := range []string{"hunter2", "AKEXAMPLE", "Signature", "\x1b"} {
			require.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), secret, name)
		}
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	seen := make(chan *http.Request, 1)
	config := fake(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		seen <- r
		w.Header().Set("Etag", `"e"`)
	})
	store := open(t, config)
	put(t, store, "a/b", picture)
	r := <-seen
	require.NotNil(t, r.TLS)
	require.Equal(t, "/media/a/b", r.URL.Path)
	require.Contains(t, r.Header.Get("Authorization"), "/eu-central-1/s3/aws4_request")
	require.Equal(t, "UNSIGNED-PAYLOAD", r.Header.Get("X-Amz-Content-Sha256"))
	require.Equal(t, int64(len(picture)), r.ContentLength)

	config.Transport = nil
	_, err := open(t, config).Stat(t.Context(), "a")
	require.ErrorIs(t, err, objectstore.ErrUnavailable)
	require.ErrorContains(t, err, "certificate")
}

func TestRangeIsNotHonoured(t *testing.T) {
	t.Parallel()
	store := open(t, fake(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Last-Modified", "Sat, 21 Nov 2026 12:00:00 GMT")
		_, _ = io.WriteString(w, picture)
	}))
	_, err := store.Open(t.Context(), "a", objectstore.Range{Offset: 2})
	require.ErrorContains(t, err, "without the requested range")
}

func TestConnectionIsCutDuringPut(t *testing.T) {
	t.Parallel()
	const size = 20 << 20
	for name, declared := range map[string]int64{"whole": size, "parts": objectstore.UnknownSize} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := objectstoretest.Config(t)
			direct := objectstoretest.New(t, config)
			put(t, direct, "a", "before")
			proxy := objectstoretest.NewProxy(t, config.Endpoint)
			config.Endpoint = proxy.Endpoint()
			store := objectstoretest.New(t, config)

			body := objectstoretest.After(bytesOf(size), size/2, proxy.Cut)
			_, err := store.Put(t.Context(), objectstore.PutRequest{Key: "a", Body: body, Size: declared, ContentType: png})
			if declared == size || err != nil {
				require.ErrorIs(t, err, objectstore.ErrUnavailable)
				require.Equal(t, "before", content(t, direct, "a"))
				require.Zero(t, unfinished(t, config, "a"))
			} // otherwise the cut was between two parts, and the next part used a new connection
			_, err = store.Stat(t.Context(), "a")
			require.NoError(t, err, "the next call connects again")
		})
	}
}

// TestStoreStalls stops the data in the middle of a transfer, with all connections open.
func TestStoreStalls(t *testing.T) {
	t.Parallel()
	const size = 20 << 20
	setup := func(t *testing.T) (*objectstore.Store, *objectstore.Store, *objectstoretest.Proxy) {
		t.Helper()
		config := objectstoretest.Config(t)
		direct := objectstoretest.New(t, config)
		_, err := direct.Put(t.Context(), objectstore.PutRequest{Key: "a", Body: bytesOf(size), Size: size, ContentType: png})
		require.NoError(t, err)
		proxy := objectstoretest.NewProxy(t, config.Endpoint)
		config.Endpoint, config.StallTimeout, config.CallTimeout = proxy.Endpoint(), 2*time.Second, 2*time.Second
		return objectstoretest.New(t, config), direct, proxy
	}
	t.Run("while reading", func(t *testing.T) {
		t.Parallel()
		store, _, proxy := setup(t)
		reader, err := store.Open(t.Context(), "a", objectstore.Range{})
		require.NoError(t, err)
		defer func() { require.NoError(t, reader.Close()) }()
		<-time.After(3 * time.Second) // this side may be slow
		_, err = io.CopyN(io.Discard, reader, 1<<20)
		require.NoError(t, err)
		proxy.Stall()
		read, err := io.Copy(io.Discard, reader)
		require.ErrorIs(t, err, objectstore.ErrUnavailable)
		require.ErrorContains(t, err, "stalled")
		require.Less(t, read, int64(size))
	})
	t.Run("cut while reading", func(t *testing.T) {
		t.Parallel()
		store, _, proxy := setup(t)
		reader, err := store.Open(t.Context(), "a", objectstore.Range{})
		require.NoError(t, err)
		defer func() { require.NoError(t, reader.Close()) }()
		_, err = io.Copy(io.Discard, objectstoretest.After(reader, 1<<20, proxy.Cut))
		require.ErrorIs(t, err, objectstore.ErrUnavailable)
	})
	t.Run("while reading, and the caller gives up", func(t *testing.T) {
		t.Parallel()
		store, _, proxy := setup(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		reader, err := store.Open(ctx, "a", objectstore.Range{})
		require.NoError(t, err)
		_, err = io.CopyN(io.Discard, reader, 1)
		require.NoError(t, err)
		proxy.Stall()
		time.AfterFunc(100*time.Millisecond, cancel)
		_, err = io.Copy(io.Discard, reader)
		require.ErrorIs(t, err, context.Canceled)
		require.NoError(t, reader.Close())
	})
	for name, declared := range map[string]int64{"while putting": size, "while putting parts": objectstore.UnknownSize} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, direct, proxy := setup(t)
			_, err := store.Put(t.Context(), objectstore.PutRequest{
				Key: "b", Body: objectstoretest.After(bytesOf(size), size/2, proxy.Stall), Size: declared, ContentType: png,
			})
			require.ErrorIs(t, err, objectstore.ErrUnavailable)
			requireAbsent(t, direct, "b")
		})
	}
}
