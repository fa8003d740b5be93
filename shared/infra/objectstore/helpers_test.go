package objectstore_test

import (
	"bytes"
	"crypto/sha256"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/kernel/proctest"
)

const png = "image/png"

// example returns a configuration of a store that is never connected to.
func example() objectstore.Config {
	return objectstore.Config{
		Endpoint: "https://s3.example.com", Bucket: "media", Region: "eu-central-1",
		AccessKey: "AKEXAMPLE", SecretKey: "hunter2-hunter2",
	}
}

func open(t *testing.T, config objectstore.Config) *objectstore.Store {
	t.Helper()
	store, err := objectstore.New(config)
	require.NoError(t, err)
	return store
}

// put stores content and returns its ETag.
func put(t *testing.T, store *objectstore.Store, key, content string) string {
	t.Helper()
	stored, err := store.Put(t.Context(), objectstore.PutRequest{
		Key: key, Body: strings.NewReader(content), Size: int64(len(content)), ContentType: png,
	})
	require.NoError(t, err)
	return stored.ETag
}

// content reads a whole object.
func content(t *testing.T, store *objectstore.Store, key string) string {
	t.Helper()
	reader, err := store.Open(t.Context(), key, objectstore.Range{})
	require.NoError(t, err)
	defer func() { require.NoError(t, reader.Close()) }()
	all, err := io.ReadAll(reader)
	require.NoError(t, err)
	return string(all)
}

func keys(t *testing.T, store *objectstore.Store, prefix string, before time.Time) []string {
	t.Helper()
	found := []string{}
	for info, err := range store.List(t.Context(), prefix, before) {
		require.NoError(t, err)
		found = append(found, info.Key)
	}
	return found
}

func requireAbsent(t *testing.T, store *objectstore.Store, key string) {
	t.Helper()
	_, err := store.Stat(t.Context(), key)
	require.ErrorIs(t, err, objectstore.ErrNotFound)
}

// bytesOf returns a body without any method but Read.
func bytesOf(size int64) io.Reader { return io.LimitReader(noise{}, size) }

// noise never ends, and its parts differ only in length.
type noise struct{}

func (noise) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte("0123456789abcdef"), len(p)/16+1))
	return len(p), nil
}

func sumOf(t *testing.T, body io.Reader) [sha256.Size]byte {
	t.Helper()
	sum := sha256.New()
	_, err := io.Copy(sum, body)
	require.NoError(t, err)
	return [sha256.Size]byte(sum.Sum(nil))
}

// unfinished counts the multipart uploads of a key that are neither complete nor aborted.
func unfinished(t *testing.T, config objectstore.Config, key string) int {
	t.Helper()
	uploads := 0
	for upload := range objectstoretest.Raw(t, config).ListIncompleteUploads(t.Context(), config.Bucket, key, true) {
		require.NoError(t, upload.Err)
		if upload.Key == key { // others have it as a prefix
			uploads++
		}
	}
	return uploads
}

// httpResponse is the response to a plain HTTP client.
type httpResponse struct {
	status int
	header http.Header
	body   string
}

// send makes a request as any client would.
func send(t *testing.T, method, address, body string, change func(*http.Request)) httpResponse {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	require.NoError(t, err)
	if change != nil {
		change(request)
	}
	transport := objectstoretest.Transport(t)
	transport.DisableKeepAlives = true
	client := &http.Client{Transport: transport}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	all, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return httpResponse{response.StatusCode, response.Header, string(all)}
}

func parse(t *testing.T, address string) *url.URL {
	t.Helper()
	parsed, err := url.Parse(address)
	require.NoError(t, err)
	return parsed
}

// closedPort returns a URL where no server listens.
func closedPort(t *testing.T) string {
	t.Helper()
	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	return "http://" + address
}
