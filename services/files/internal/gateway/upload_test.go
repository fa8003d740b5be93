package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/objectstore"
)

func TestUpload(t *testing.T) {
	t.Parallel()
	d, store := openBucket(t)
	got := upload(t, signPut(t, store, "up/a", 10), picture, nil)
	require.Equal(t, http.StatusOK, got.status)
	require.Empty(t, got.body)
	info, err := store.Stat(t.Context(), "up/a")
	require.NoError(t, err)
	require.Equal(t, `"`+info.ETag+`"`, got.header.Get("Etag"))
	require.Equal(t, png, info.ContentType)
	require.Equal(t, picture, content(t, store, "up/a"))
	d.requireMetric(t, 1, "files_requests_total", map[string]string{"method": "PUT", "outcome": "ok"})
	d.requireMetric(t, 10, "files_bytes_total", map[string]string{"direction": "in"})

	require.Equal(t, http.StatusOK, upload(t, signPut(t, store, "up/none", 0), "", nil).status)
	require.Empty(t, content(t, store, "up/none"))
}

func TestLargeUploadAndDownload(t *testing.T) {
	t.Parallel()
	_, store := openBucket(t)
	large := strings.Repeat("0123456789abcdef", 2<<20)
	require.Equal(t, http.StatusOK, upload(t, signPut(t, store, "up/a", int64(len(large))), large, nil).status)
	got := send(t, http.MethodGet, signGet(t, store, "up/a"), "", nil)
	require.Equal(t, http.StatusOK, got.status)
	require.Len(t, got.body, len(large))
	require.True(t, large == got.body) //nolint:testifylint // a diff of 32 MiB is not readable
}

func TestUploadIsRefused(t *testing.T) {
	t.Parallel()
	d, store := openBucket(t)
	tests := map[string]struct {
		body   string
		change func(*http.Request)
		status int
		code   string
	}{
		"larger":  {picture + "x", nil, 403, "LINK_REFUSED"},
		"smaller": {picture[:9], nil, 403, "LINK_REFUSED"},
		"empty":   {"", nil, 403, "LINK_REFUSED"},
		"other type": {
			picture, func(r *http.Request) { r.Header.Set("Content-Type", "text/html") }, 403, "LINK_REFUSED",
		},
		"type and parameter": {
			picture, func(r *http.Request) { r.Header.Set("Content-Type", png+"; charset=utf-8") }, 403, "LINK_REFUSED",
		},
		"no type": {picture, func(r *http.Request) { r.Header.Del("Content-Type") }, 403, "LINK_REFUSED"},
		"two types": {
			picture, func(r *http.Request) { r.Header.Add("Content-Type", png) }, 400, "MALFORMED_REQUEST",
		},
		"chunked":           {picture, func(r *http.Request) { r.ContentLength = -1 }, 411, "LENGTH_REQUIRED"},
		"longer life":       {picture, query("X-Amz-Expires", "86400"), 403, "LINK_REFUSED"},
		"another date":      {picture, query("X-Amz-Date", "20260101T000000Z"), 403, "LINK_EXPIRED"},
		"another signature": {picture, query("X-Amz-Signature", strings.Repeat("0", 64)), 403, "LINK_REFUSED"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key := "up/" + strings.ReplaceAll(name, " ", "-")
			requireRefused(t, upload(t, signPut(t, store, key, 10), test.body, test.change), test.status, test.code)
			requireAbsent(t, store, key)
		})
	}
	t.Run("other key", func(t *testing.T) {
		t.Parallel()
		got := upload(t, signPut(t, store, "up/other", 10), picture, func(r *http.Request) { r.URL.Path += "2" })
		requireRefused(t, got, http.StatusForbidden, "LINK_REFUSED")
		requireAbsent(t, store, "up/other2")
	})
	t.Run("another credential", func(t *testing.T) {
		t.Parallel()
		got := upload(t, signPut(t, store, "up/root", 10), picture,
			query("X-Amz-Credential", "root/20261121/us-east-1/s3/aws4_request"))
		// some stores respond with 404
		require.Contains(t, []int{http.StatusForbidden, http.StatusServiceUnavailable}, got.status)
		requireAbsent(t, store, "up/root")
	})
	t.Run("too large", func(t *testing.T) {
		t.Parallel()
		address := signPut(t, store, "up/huge", 10).URL
		reader := raw(t, d, head(t, http.MethodPut, address)+"Content-Type: image/png\r\nContent-Length: 5368709121\r\n\r\n")
		requireRefused(t, readRaw(t, reader), http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
	})
	t.Run("no length", func(t *testing.T) {
		t.Parallel()
		address := signPut(t, store, "up/nothing", 0).URL
		reader := raw(t, d, head(t, http.MethodPut, address)+"Content-Type: image/png\r\n\r\n")
		requireRefused(t, readRaw(t, reader), http.StatusLengthRequired, "LENGTH_REQUIRED")
	})
	t.Run("two lengths", func(t *testing.T) {
		t.Parallel()
		address := signPut(t, store, "up/two", 10).URL
		reader := raw(t, d, head(t, http.MethodPut,
			address)+"Content-Type: image/png\r\nContent-Length: 10\r\nTransfer-Encoding: chunked\r\n\r\n"+
			"14\r\n01234567890123456789\r\n0\r\n\r\n")
		response, err := http.ReadResponse(reader, nil)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.GreaterOrEqual(t, response.StatusCode, http.StatusBadRequest)
		requireAbsent(t, store, "up/two")
	})
}

// TestUnsignedHeadersHaveNoEffect uploads with unsigned headers that stores obey.
func TestUnsignedHeadersHaveNoEffect(t *testing.T) {
	t.Parallel()
	_, store := openBucket(t)
	put(t, store, "media/secret", png, "of another")
	bucket := strings.Split(parse(t, signGet(t, store, "media/secret")).Path, "/")[1]
	dangerous := map[string]string{
		"X-Amz-Copy-Source":               "/" + bucket + "/media/secret",
		"X-Amz-Acl":                       "public-read",
		"X-Amz-Tagging":                   "a=b",
		"X-Amz-Meta-A":                    "b",
		"X-Amz-Website-Redirect-Location": "https://evil.example.com",
		"X-Amz-Storage-Class":             "REDUCED_REDUNDANCY",
		"X-Amz-Object-Lock-Mode":          "GOVERNANCE",
		"X-Amz-Security-Token":            "x",
		"X-Amz-Content-Sha256":            "UNSIGNED-PAYLOAD",
		"X-Minio-Source-Etag":             "forged",
		"X-Minio-Source-Mtime":            "2101-01-01T00:00:00Z",
		"X-Minio-Extract":                 "true",
		"Cache-Control":                   "public, max-age=31536000",
		"Content-Disposition":             "inline; filename=evil.html",
		"Content-Encoding":                "aws-chunked,gzip",
		"Content-Language":                "de",
		"Expires":                         "not a time",
		"If-Match":                        "x",
		"If-Unmodified-Since":             "Sat, 01 Jan 2000 00:00:00 GMT",
		"Authorization":                   "AWS4-HMAC-SHA256 Credential=x",
		"Cookie":                          "a=b",
		"X-Forwarded-Host":                "evil.example.com",
		"Forwarded":                       "host=evil.example.com",
		"X-Http-Method-Override":          "DELETE",
		"Upgrade":                         "h2c",
		"Connection":                      "Upgrade",
	}
	got := upload(t, signPut(t, store, "up/a", 10), picture, func(r *http.Request) {
		for name, value := range dangerous {
			r.Header.Set(name, value)
		}
	})
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, picture, content(t, store, "up/a"), "no copy, and nothing decoded")
	info, err := store.Stat(t.Context(), "up/a")
	require.NoError(t, err)
	require.NotEqual(t, "forged", info.ETag)
	require.WithinDuration(t, time.Now(), info.ModifiedAt, time.Minute)

	read := send(t, http.MethodGet, signGet(t, store, "up/a"), "", func(r *http.Request) {
		for name, value := range dangerous {
			r.Header.Set(name, value)
		}
	})
	require.Equal(t, http.StatusOK, read.status)
	require.Equal(t, picture, read.body)
	require.Equal(t, "private", read.header.Get("Cache-Control"))
	for _, name := range []string{"Content-Encoding", "Content-Language", "Expires"} {
		require.Empty(t, read.header.Get(name), name)
	}

	for _, kind := range []string{
		"STREAMING-UNSIGNED-PAYLOAD-TRAILER", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
		"STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
	} {
		got = upload(t, signPut(t, store, "up/b", 10), picture, func(r *http.Request) {
			query("X-Amz-Signature", strings.Repeat("0", 64))(r)
			r.Header.Set("X-Amz-Content-Sha256", kind)
			r.Header.Set("X-Amz-Decoded-Content-Length", "10")
		})
		requireRefused(t, got, http.StatusForbidden, "LINK_REFUSED")
		requireAbsent(t, store, "up/b")
	}
}

// TestUploadsSupportExpectContinue uses clients that wait for 100 Continue, as curl does. A store that checks the header of a
// request first, as MinIO does, refuses an upload before its body is sent.
func TestUploadsSupportExpectContinue(t *testing.T) {
	t.Parallel()
	refusing, store := openFake(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	begin := head(t, http.MethodPut, signPut(t, store, "up/a", 1_000_000).URL) +
		"Content-Type: image/png\r\nExpect: 100-continue\r\n"
	requireRefused(t, readRaw(t, raw(t, refusing, begin+"Content-Length: 1000000\r\n\r\n")), http.StatusForbidden,
		"LINK_REFUSED")
	refusing.requireMetric(t, 0, "files_bytes_total", map[string]string{"direction": "in"})

	d, store := openBucket(t)
	begin = head(t, http.MethodPut, signPut(t, store, "up/a", 10).URL) +
		"Content-Type: image/png\r\nExpect: 100-continue\r\n"
	conn, reader := dial(t, d, begin+"Content-Length: 10\r\n\r\n")
	line, err := reader.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 100 Continue\r\n", line)
	_, err = reader.ReadString('\n')
	require.NoError(t, err)
	_, err = io.WriteString(conn, picture)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, readRaw(t, reader).status)
	require.Equal(t, picture, content(t, store, "up/a"))
}

func TestConnectionIsReused(t *testing.T) {
	t.Parallel()
	d, store := openBucket(t)
	conn, reader := dial(t, d, "")
	signed, get := signPut(t, store, "up/a", 10), signGet(t, store, "up/a")
	for range 3 {
		_, err := io.WriteString(conn, head(t, http.MethodPut,
			signed.URL)+"Content-Type: image/png\r\nContent-Length: 10\r\n\r\n"+picture)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, readRaw(t, reader).status)
		_, err = io.WriteString(conn, head(t, http.MethodGet, get)+"\r\n")
		require.NoError(t, err)
		require.Equal(t, picture, readRaw(t, reader).body)
	}
	require.Equal(t, int64(6), d.calls.Load())
}

func TestUploadURLAllowsOnlySignedUpload(t *testing.T) {
	t.Parallel()
	d, store := openBucket(t)
	signed := signPut(t, store, "up/a", 10)
	require.Contains(t, signed.URL, d.url+"/")
	// The address allows only the upload.
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		got := send(t, method, signed.URL, "", nil)
		require.Equal(t, http.StatusForbidden, got.status, method)
	}
	require.Zero(t, d.calls.Load())
	_, err := store.Put(t.Context(), objectstore.PutRequest{
		Key: "up/a", Body: strings.NewReader("x"), Size: 1, ContentType: png,
	})
	require.NoError(t, err)
	requireRefused(t, upload(t, objectstore.SignedPut{URL: signGet(t, store, "up/a")}, "", nil), http.StatusForbidden,
		"LINK_REFUSED")
	require.Equal(t, "x", content(t, store, "up/a"))
}
