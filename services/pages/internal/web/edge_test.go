package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/ident"
)

// TestMalformedRequests checks that malformed or oversized requests get a response with the usual headers, and that
// the connection is closed, so that the bytes after them are not read as a request.
func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, "mara", "Mara")
	const second = "GET /mara HTTP/1.1\r\nHost: a\r\n\r\n"
	for name, c := range map[string]struct {
		raw    string
		status int
	}{
		"a header too large": {
			"GET /mara HTTP/1.1\r\nHost: a\r\nX-Large: " + strings.Repeat("x", 20_000) + "\r\n\r\n",
			http.StatusRequestHeaderFieldsTooLarge,
		},
		"an address too long": {
			"GET /" + strings.Repeat("x", 100_000) + " HTTP/1.1\r\nHost: a\r\n\r\n", http.StatusRequestHeaderFieldsTooLarge,
		},
		"no address":            {"GET  HTTP/1.1\r\nHost: a\r\n\r\n", http.StatusBadRequest},
		"an address with a NUL": {"GET /m\x00ra HTTP/1.1\r\nHost: a\r\n\r\n", http.StatusBadRequest},
		"no HTTP":               {"hello\r\n\r\n", http.StatusBadRequest},
		"a body too large": {
			"GET /mara HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n" + strings.Repeat("x", 5000),
			http.StatusRequestEntityTooLarge,
		},
		"a body to a refusal": {
			"POST /mara HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n" + second, http.StatusMethodNotAllowed,
		},
		"a length that is none": {
			"GET /mara HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n" + second, http.StatusBadRequest,
		},
		"a transfer unknown": {
			"GET /mara HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n" + second, http.StatusBadRequest,
		},
		"a tunnel":              {"CONNECT evil.example:443 HTTP/1.1\r\nHost: a\r\n\r\n", http.StatusMethodNotAllowed},
		"a method of one's own": {"FETCH /mara HTTP/1.1\r\nHost: a\r\n\r\n", http.StatusMethodNotAllowed},
		"a trace":               {"TRACE /mara HTTP/1.1\r\nHost: a\r\nX-Secret: 1\r\n\r\n", http.StatusMethodNotAllowed},
		"a length and a chunked": {
			"POST /mara HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + second,
			http.StatusMethodNotAllowed,
		},
	} {
		got := b.send(t, http.MethodGet, "192.0.2.1:1", []byte(c.raw))
		require.Equal(t, c.status, got.StatusCode, name)
		require.True(t, got.Close, name)
		require.Contains(t, got.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'", name)
		require.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"), name)
		require.Equal(t, "no-store", got.Header.Get("Cache-Control"), name)
		require.Empty(t, got.Header.Get("Server"), name)
		require.NotContains(t, got.body, "X-Secret", name)
	}
}

// TestRequestBodyIsSkipped checks that the bytes after a body are the next request, and that those in it are not.
func TestRequestBodyIsSkipped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, "mara", "Mara")
	const hidden = "GET /mara HTTP/1.1\r\nHost: a\r\n\r\n"
	const last = "GET /robots.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
	require.Len(t, hidden, 31)
	for _, raw := range []string{
		"GET /unknown HTTP/1.1\r\nHost: a\r\nContent-Length: 31\r\n\r\n" + hidden + last,
		"GET /unknown HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1f\r\n" + hidden + "\r\n0\r\n\r\n" + last,
	} {
		all := string(b.exchange(t, "192.0.2.1:1", []byte(raw)))
		require.Equal(t, 2, strings.Count(all, "HTTP/1.1 "))
		require.Contains(t, all, "Disallow")
		require.NotContains(t, all, "Mara")
	}
	views, bots, _, _ := b.counted(t)
	require.Zero(t, views+bots)
}

// TestPanicGetsResponse checks that a panic produces a response and the process continues.
func TestPanicGetsResponse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	// settings are never missing in practice
	b.publish(t, "mara", "Mara", linkpage.Block{ID: ident.New[ident.LinkBlock](), Visible: true})
	got := b.ask(t, "/mara")
	require.Equal(t, http.StatusServiceUnavailable, got.StatusCode)
	require.NotContains(t, got.body, "panic")
	require.Equal(t, http.StatusNotFound, b.ask(t, "/unknown").StatusCode)
}

// TestCacheIsBoundedBySize checks that documents are bounded by size, not only by number.
func TestCacheIsBoundedBySize(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, handle := range []string{"one", "two", "three"} {
		b.clock.Advance(1)
		b.publish(t, handle, strings.Repeat("large ", 40_000))
		require.Equal(t, http.StatusOK, b.ask(t, "/"+handle).StatusCode)
	}
	require.Equal(t, 1, b.shelf.Len(), "each takes more than half of a megabyte")
	metrics, err := b.registry.Gather()
	require.NoError(t, err)
	require.NotEmpty(t, metrics)
}
