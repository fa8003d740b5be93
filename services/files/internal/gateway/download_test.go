package gateway_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/files/internal/gateway"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/kernel/clock"
)

func TestDownload(t *testing.T) {
	t.Parallel()
	d, store := openBucket(t)
	put(t, store, "media/a", png, picture)
	address := signGet(t, store, "media/a")
	info, err := store.Stat(t.Context(), "media/a")
	require.NoError(t, err)

	got := send(t, http.MethodGet, address, "", nil)
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, picture, got.body)
	want := http.Header{
		"Accept-Ranges":                 {"bytes"},
		"Access-Control-Allow-Origin":   {"*"},
		"Access-Control-Expose-Headers": {"Accept-Ranges, Content-Disposition, Content-Range, ETag, Retry-After"},
		"Cache-Control":                 {"private"},
		"Content-Disposition":           {"inline"},
		"Content-Length":                {"10"},
		"Content-Security-Policy":       {"default-src 'none'; media-src 'self'; sandbox"},
		"Content-Type":                  {png},
		"Cross-Origin-Resource-Policy":  {"cross-origin"},
		"Date":                          got.header["Date"],
		"Etag":                          {`"` + info.ETag + `"`},
		"Last-Modified":                 {info.ModifiedAt.Format(http.TimeFormat)},
		"Referrer-Policy":               {"no-referrer"},
		"X-Content-Type-Options":        {"nosniff"},
	}
	require.Equal(t, want, got.header, "nothing else")

	head := send(t, http.MethodHead, address, "", nil)
	require.Equal(t, http.StatusOK, head.status)
	require.Empty(t, head.body)
	want["Date"] = head.header["Date"]
	require.Equal(t, want, head.header)

	fresh := send(t, http.MethodGet, address, "",
		func(r *http.Request) { r.Header.Set("If-None-Match", `"`+info.ETag+`"`) })
	require.Equal(t, http.StatusNotModified, fresh.status)
	d.requireMetric(t, 10, "files_bytes_total", map[string]string{"direction": "out"})
	d.requireMetric(t, 2, "files_requests_total", map[string]string{"method": "GET", "outcome": "ok"})
	d.requireMetric(t, 0, "files_requests_open", nil)
}

func TestDownloadTerms(t *testing.T) {
	t.Parallel()
	_, store := openBucket(t)
	put(t, store, "media/a", png, picture)
	signed, err := store.PresignGet(objectstore.GetTerms{
		Key: "media/a", ContentType: "image/jpeg", CacheControl: "private, max-age=60", FileName: "Grüße + \"x\".jpg",
		Expires: time.Hour,
	})
	require.NoError(t, err)
	got := send(t, http.MethodGet, signed.URL, "", nil)
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, "image/jpeg", got.header.Get("Content-Type"))
	require.Equal(t, "private, max-age=60", got.header.Get("Cache-Control"))
	require.Equal(t, `attachment; filename="Gr__e + _x_.jpg"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20+%20_x_.jpg`,
		got.header.Get("Content-Disposition"))
}

func TestRanges(t *testing.T) {
	t.Parallel()
	_, store := openBucket(t)
	put(t, store, "media/a", "video/mp4", picture)
	address := signGet(t, store, "media/a")
	for value, want := range map[string]string{
		"bytes=2-4": "234", "bytes=7-": "789", "bytes=-2": "89", "bytes=8-99": "89",
	} {
		got := send(t, http.MethodGet, address, "", func(r *http.Request) { r.Header.Set("Range", value) })
		require.Equal(t, http.StatusPartialContent, got.status, value)
		require.Equal(t, want, got.body, value)
		require.Regexp(t, `^bytes \d-\d/10$`, got.header.Get("Content-Range"))
		require.Equal(t, "video/mp4", got.header.Get("Content-Type"))
	}
	for _, value := range []string{"bytes=0-1,4-5", "lines=1-2", "bytes=", "bytes=a-b"} {
		got := send(t, http.MethodGet, address, "", func(r *http.Request) { r.Header.Set("Range", value) })
		require.Equal(t, http.StatusOK, got.status, "%s: what is not understood is ignored", value)
		require.Equal(t, picture, got.body)
	}
	outside := send(t, http.MethodGet, address, "", func(r *http.Request) { r.Header.Set("Range", "bytes=10-") })
	requireRefused(t, outside, http.StatusRequestedRangeNotSatisfiable, "RANGE_NOT_SATISFIABLE")
	changed := send(t, http.MethodGet, address, "", func(r *http.Request) {
		r.Header.Set("Range", "bytes=2-4")
		r.Header.Set("If-Range", `"another"`)
	})
	// MinIO does not support If-Range
	require.Contains(t, []int{http.StatusOK, http.StatusPartialContent}, changed.status)
}

// TestTypes checks that a browser never renders a stored page, regardless of the stored or signed content type.
func TestTypes(t *testing.T) {
	t.Parallel()
	_, store := openBucket(t)
	const page = "<html><script>alert(1)</script>"
	for name, test := range map[string]struct{ stored, signed, want string }{
		"picture":                {png, "", png},
		"video":                  {"video/quicktime", "", "video/quicktime"},
		"document":               {"application/pdf", "", "application/pdf"},
		"in capitals":            {"IMAGE/PNG", "", png},
		"with a parameter":       {"image/png; charset=utf-8", "", png},
		"page":                   {"text/html", "", "application/octet-stream"},
		"drawing":                {"image/svg+xml", "", "application/octet-stream"},
		"other picture":          {"image/tiff", "", "application/octet-stream"},
		"text":                   {"text/plain", "", "application/octet-stream"},
		"script":                 {"text/javascript", "", "application/octet-stream"},
		"XML":                    {"application/xml", "", "application/octet-stream"},
		"several":                {"multipart/mixed", "", "application/octet-stream"},
		"picture signed as page": {png, "text/html", "application/octet-stream"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key := "media/" + strings.ReplaceAll(name, " ", "-")
			put(t, store, key, test.stored, page)
			signed, err := store.PresignGet(objectstore.GetTerms{
				Key: key, ContentType: test.signed, Inline: true, FileName: "a; b.html", Expires: time.Hour,
			})
			require.NoError(t, err)
			got := send(t, http.MethodGet, signed.URL, "", nil)
			require.Equal(t, http.StatusOK, got.status)
			require.Equal(t, test.want, got.header.Get("Content-Type"))
			disposition := `attachment; filename="a; b.html"`
			if strings.HasPrefix(test.want, "image/") || strings.HasPrefix(test.want, "video/") {
				disposition = `inline; filename="a; b.html"`
			}
			require.Equal(t, disposition, got.header.Get("Content-Disposition"))
		})
	}
}

func TestAbsentAndExpired(t *testing.T) {
	t.Parallel()
	d, store := openBucket(t)
	requireRefused(t, send(t, http.MethodGet, signGet(t, store, "media/none"), "", nil), http.StatusNotFound, "NOT_FOUND")
	head := send(t, http.MethodHead, signGet(t, store, "media/none"), "", nil)
	require.Equal(t, http.StatusNotFound, head.status)
	require.Equal(t, int64(2), d.calls.Load())

	late, store := openBucket(t, func(c *gateway.Config) { c.Clock = ahead{by: 2 * time.Hour} })
	put(t, store, "media/a", png, picture)
	requireRefused(t, send(t, http.MethodGet, signGet(t, store, "media/a"), "", nil), http.StatusForbidden, "LINK_EXPIRED")
	requireRefused(t, upload(t, signPut(t, store, "up/a", 10), picture, nil), http.StatusForbidden, "LINK_EXPIRED")
	requireAbsent(t, store, "up/a")
	require.Zero(t, late.calls.Load())
}

// ahead is a clock that is ahead of the system clock.
type ahead struct{ by time.Duration }

func (a ahead) Now() time.Time { return clock.System().Now().Add(a.by) }
