package objectstore_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
)

const picture = "0123456789"

func presignPut(t *testing.T, store *objectstore.Store, key string, expires time.Duration) objectstore.SignedPut {
	t.Helper()
	signed, err := store.PresignPut(objectstore.PutTerms{
		Key: key, ContentType: png, Size: int64(len(picture)), Expires: expires,
	})
	require.NoError(t, err)
	return signed
}

// upload follows the instructions to a client, with changes.
func upload(t *testing.T, signed objectstore.SignedPut, body string, change func(*http.Request)) httpResponse {
	t.Helper()
	return send(t, http.MethodPut, signed.URL, body, func(r *http.Request) {
		r.Header = signed.Header.Clone()
		if change != nil {
			change(r)
		}
	})
}

func TestUpload(t *testing.T) {
	t.Parallel()
	store := objectstoretest.Open(t)
	signed := presignPut(t, store, "up/a", time.Hour)
	require.Equal(t, http.StatusOK, upload(t, signed, picture, nil).status)

	first, err := store.Stat(t.Context(), "up/a")
	require.NoError(t, err)
	require.Equal(t, int64(10), first.Size)
	require.Equal(t, png, first.ContentType)
	require.Equal(t, picture, content(t, store, "up/a"))

	// A second upload replaces the first, but a copy of the first stays unchanged, and a caller that has seen the first
	// cannot copy the second.
	_, err = store.Copy(t.Context(), objectstore.CopyRequest{
		From: "up/a", ETag: first.ETag, To: "media/a", ContentType: png,
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, upload(t, signed, "abcdefghij", nil).status)
	require.Equal(t, "abcdefghij", content(t, store, "up/a"))
	require.Equal(t, picture, content(t, store, "media/a"))
	_, err = store.Copy(t.Context(), objectstore.CopyRequest{
		From: "up/a", ETag: first.ETag, To: "media/b", ContentType: png,
	})
	require.ErrorIs(t, err, objectstore.ErrChanged)
	requireAbsent(t, store, "media/b")
}

func TestUploadOfEmptyFile(t *testing.T) {
	t.Parallel()
	store := objectstoretest.Open(t)
	signed, err := store.PresignPut(objectstore.PutTerms{Key: "up/a", ContentType: png, Expires: time.Hour})
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, upload(t, signed, "x", nil).status)
	require.Equal(t, http.StatusOK, upload(t, signed, "", nil).status)
}

func TestUploadIsRefused(t *testing.T) {
	t.Parallel()
	config := objectstoretest.Config(t)
	store := objectstoretest.New(t, config)
	tests := map[string]struct {
		body   string
		change func(*http.Request)
	}{
		"larger":             {picture + "x", nil},
		"smaller":            {picture[:9], nil},
		"empty":              {"", nil},
		"other type":         {picture, func(r *http.Request) { r.Header.Set("Content-Type", "text/html") }},
		"type and parameter": {picture, func(r *http.Request) { r.Header.Set("Content-Type", png+"; charset=utf-8") }},
		"two types":          {picture, func(r *http.Request) { r.Header.Add("Content-Type", "text/html") }},
		"no type":            {picture, func(r *http.Request) { r.Header.Del("Content-Type") }},
		"chunked":            {picture, func(r *http.Request) { r.ContentLength = -1 }},
		"metadata":           {picture, func(r *http.Request) { r.Header.Set("X-Amz-Meta-A", "b") }},
		"other key":          {picture, func(r *http.Request) { r.URL.Path = "/" + config.Bucket + "/up/other" }},
		"key within":         {picture, func(r *http.Request) { r.URL.Path += "/../../media/a" }},
		"other bucket":       {picture, func(r *http.Request) { r.URL.Path = "/media/up/a" }},
		"other host":         {picture, func(r *http.Request) { r.Host = "localhost:" + r.URL.Port() }},
		"longer life":        {picture, query("X-Amz-Expires", "604800")},
		"other day":          {picture, query("X-Amz-Date", "20360101T000000Z")},
		"fewer terms":        {picture, query("X-Amz-SignedHeaders", "host")},
		"no signature":       {picture, query("X-Amz-Signature", "")},
		"as a part":          {picture, query("partNumber", "1")},
		"as permissions":     {picture, query("acl", "x")},
		"as tags":            {picture, query("tagging", "x")},
		"type in query":      {picture, query("response-content-type", "text/html")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key := "up/" + strings.ReplaceAll(strings.ToLower(name), " ", "-")
			got := upload(t, presignPut(t, store, key, time.Hour), test.body, test.change)
			require.GreaterOrEqual(t, got.status, http.StatusBadRequest, got.body)
			requireAbsent(t, store, key)
			requireAbsent(t, store, "up/other")
			requireAbsent(t, store, "media/a")
		})
	}
}

func query(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		values := r.URL.Query()
		values.Set(name, value)
		r.URL.RawQuery = values.Encode()
	}
}

func TestUploadURLAllowsOnlyUpload(t *testing.T) {
	t.Parallel()
	config := objectstoretest.Config(t)
	store := objectstoretest.New(t, config)
	put(t, store, "up/a", "untouched!")
	signed := presignPut(t, store, "up/a", time.Hour)
	bucket := parse(t, signed.URL)
	bucket.Path = "/" + config.Bucket + "/"
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodDelete, http.MethodPost} {
		for name, address := range map[string]string{
			"object": signed.URL, "bucket": bucket.String(), "list": bucket.String() + "&list-type=2",
		} {
			got := send(t, method, address, "", func(r *http.Request) { r.Header = signed.Header.Clone() })
			require.NotEqual(t, http.StatusOK, got.status, "%s %s", method, name)
			require.NotEqual(t, http.StatusNoContent, got.status, "%s %s", method, name)
		}
	}
	require.Equal(t, "untouched!", content(t, store, "up/a"))
}

func TestAddressesExpire(t *testing.T) {
	t.Parallel()
	store := objectstoretest.Open(t)
	put(t, store, "media/a", picture)
	download := func(expires time.Duration) string {
		address, err := store.PresignGet(objectstore.GetTerms{Key: "media/a", Expires: expires})
		require.NoError(t, err)
		return address.URL
	}
	require.Equal(t, http.StatusOK, send(t, http.MethodGet, download(time.Hour), "", nil).status)
	expiring, uploading := download(time.Second), presignPut(t, store, "up/a", time.Second)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, http.StatusForbidden, send(t, http.MethodGet, expiring, "", nil).status)
	}, 10*time.Second, 100*time.Millisecond)
	require.Equal(t, http.StatusForbidden, upload(t, uploading, picture, nil).status)
	requireAbsent(t, store, "up/a")
}

// TestUploadIsInterrupted sends raw HTTP as a client that announces more than it sends, and as one that announces two
// sizes.
func TestUploadIsInterrupted(t *testing.T) {
	t.Parallel()
	store := objectstoretest.Open(t)
	for name, lines := range map[string]string{
		"cut":       "Content-Length: 10\r\n\r\n01234",
		"two sizes": "Content-Length: 10\r\nTransfer-Encoding: chunked\r\n\r\n14\r\n01234567890123456789\r\n0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key := "up/" + strings.ReplaceAll(name, " ", "-")
			address := parse(t, presignPut(t, store, key, time.Hour).URL)
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address.Host)
			require.NoError(t, err)
			defer func() { require.NoError(t, conn.Close()) }()
			_, err = fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\n%s", address.RequestURI(),
				address.Host, png, lines)
			require.NoError(t, err)
			half, ok := conn.(*net.TCPConn)
			require.True(t, ok)
			require.NoError(t, half.CloseWrite())
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err == nil {
				_, _ = io.Copy(io.Discard, response.Body)
				require.NoError(t, response.Body.Close())
				require.GreaterOrEqual(t, response.StatusCode, http.StatusBadRequest)
			}
			requireAbsent(t, store, key)
		})
	}
}

// TestCopyTakesOnlyBytes uploads with headers that no signature covers.
func TestCopyTakesOnlyBytes(t *testing.T) {
	t.Parallel()
	store := objectstoretest.Open(t)
	got := upload(t, presignPut(t, store, "up/a", time.Hour), picture, func(r *http.Request) {
		r.Header.Set("Cache-Control", "public, max-age=31536000")
		r.Header.Set("Content-Disposition", "inline; filename=evil.html")
		r.Header.Set("Content-Encoding", "gzip")
		r.Header.Set("Content-Language", "de")
		r.Header.Set("Expires", "not a time")
		r.Header.Set("X-Amz-Website-Redirect-Location", "https://evil.example.com")
		r.Header.Set("X-Minio-Source-Etag", "forged")
		r.Header.Set("X-Minio-Source-Mtime", "2101-01-01T00:00:00Z")
	})
	if got.status == http.StatusForbidden { // the correct response; MinIO accepts the headers
		requireAbsent(t, store, "up/a")
		return
	}
	require.Equal(t, http.StatusOK, got.status)

	info, err := store.Stat(t.Context(), "up/a")
	require.NoError(t, err, "an uploader must not be able to make an object that cannot be looked at")
	require.Equal(t, picture, content(t, store, "up/a"), "nothing is decoded")
	etag, err := store.Copy(t.Context(), objectstore.CopyRequest{
		From: "up/a", ETag: info.ETag, To: "media/a", ContentType: "image/webp", CacheControl: "private",
	})
	require.NoError(t, err)
	copied, err := store.Stat(t.Context(), "media/a")
	require.NoError(t, err)
	require.Equal(t, etag, copied.ETag)
	require.NotEqual(t, "forged", copied.ETag)
	require.Equal(t, "image/webp", copied.ContentType)
	require.WithinDuration(t, time.Now(), copied.ModifiedAt, time.Minute)

	signed, err := store.PresignGet(objectstore.GetTerms{Key: "media/a", Inline: true, Expires: time.Hour})
	require.NoError(t, err)
	served := send(t, http.MethodGet, signed.URL, "", nil)
	require.Equal(t, http.StatusOK, served.status)
	require.Equal(t, "private", served.header.Get("Cache-Control"))
	require.Equal(t, "inline", served.header.Get("Content-Disposition"))
	for _, name := range []string{"Content-Encoding", "Content-Language", "Expires", "X-Amz-Website-Redirect-Location"} {
		require.Empty(t, served.header.Get(name), name)
	}
}

func TestDownload(t *testing.T) {
	t.Parallel()
	config := objectstoretest.Config(t)
	store := objectstoretest.New(t, config)
	put(t, store, "media/a", picture)
	signed, err := store.PresignGet(objectstore.GetTerms{
		Key: "media/a", ContentType: "image/jpeg", CacheControl: "private, max-age=60", FileName: "Grüße \"x\".jpg",
		Expires: time.Hour,
	})
	require.NoError(t, err)
	got := send(t, http.MethodGet, signed.URL, "", nil)
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, picture, got.body)
	require.Equal(t, "image/jpeg", got.header.Get("Content-Type"))
	require.Equal(t, "private, max-age=60", got.header.Get("Cache-Control"))
	require.Equal(t, `attachment; filename="Gr__e _x_.jpg"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20_x_.jpg`,
		got.header.Get("Content-Disposition"))

	part := send(t, http.MethodGet, signed.URL, "", func(r *http.Request) { r.Header.Set("Range", "bytes=2-4") })
	require.Equal(t, http.StatusPartialContent, part.status)
	require.Equal(t, "234", part.body)

	for name, change := range map[string]func(*http.Request){
		"put":          func(r *http.Request) { r.Method = http.MethodPut },
		"delete":       func(r *http.Request) { r.Method = http.MethodDelete },
		"other key":    func(r *http.Request) { r.URL.Path += "b" },
		"other bucket": func(r *http.Request) { r.URL.Path = "/other/media/a" },
		"bucket":       func(r *http.Request) { r.URL.Path = "/" + config.Bucket },
		"type":         query("response-content-type", "text/html"),
		"disposition":  query("response-content-disposition", "inline"),
		"expiry":       query("X-Amz-Expires", "604800"),
	} {
		got = send(t, http.MethodGet, signed.URL, "", change)
		require.Contains(t, []int{http.StatusForbidden, http.StatusBadRequest, http.StatusNotFound}, got.status, name)
		require.NotContains(t, got.body, picture)
	}
	require.Equal(t, picture, content(t, store, "media/a"))

	absent, err := store.PresignGet(objectstore.GetTerms{Key: "media/none", Expires: time.Hour})
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, send(t, http.MethodGet, absent.URL, "", nil).status)
}

func TestBucketIsPrivate(t *testing.T) {
	t.Parallel()
	config := objectstoretest.Config(t)
	store := objectstoretest.New(t, config)
	put(t, store, "media/a", picture)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete} {
		for _, path := range []string{"/media/a", "/up/a", "/", "/?list-type=2", "/?policy", "/?uploads"} {
			address, err := url.JoinPath(config.Endpoint, config.Bucket)
			require.NoError(t, err)
			got := send(t, method, address+path, "", nil)
			require.Equal(t, http.StatusForbidden, got.status, "%s %s", method, path)
		}
	}
	require.Equal(t, picture, content(t, store, "media/a"))
}
