package web_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestShortLinks checks that a code leads to its target and that people are counted, once each time, but neither bots nor
// those who only look.
func TestShortLinks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.shorts = map[string]string{"aB3dE6gH": "https://example.com/a?b=c#d"}
	short := func() (n int64) {
		t.Helper()
		require.NoError(t, b.tally.Flush(t.Context()))
		b.set(func() {
			for _, batch := range b.batch {
				for _, one := range batch.Short {
					require.Equal(t, "aB3dE6gH", one.Code)
					n += one.Clicks
				}
			}
			b.batch = nil
		})
		return n
	}
	for range 2 {
		got := b.ask(t, "/s/aB3dE6gH")
		require.Equal(t, http.StatusFound, got.StatusCode)
		require.Equal(t, "https://example.com/a?b=c#d", got.Header.Get("Location"))
		require.Equal(t, "no-store", got.Header.Get("Cache-Control"))
		require.Contains(t, got.Header.Get("X-Robots-Tag"), "noindex")
	}
	require.Equal(t, 1, b.loads, "targets are cached")
	require.Equal(t, int64(2), short())
	b.ask(t, "/s/aB3dE6gH", with("User-Agent", "Googlebot/2.1"))
	b.ask(t, "/s/aB3dE6gH", method(http.MethodHead))
	b.ask(t, "/s/aB3dE6gH", with("Sec-Purpose", "prefetch"))
	require.Zero(t, short())
	require.Contains(t, b.ask(t, "/robots.txt").body, "Disallow: /s/")
}

// TestShortLinksLeadNowhereElse checks that unknown codes get a page that says so, and that the request cannot choose where a
// code leads.
func TestShortLinksLeadNowhereElse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.shorts = map[string]string{
		"script01": "javascript:alert(1)", "relative": "//evil.example", "data0001": "data:text/html,x",
		"lines001": "https://example.com/\r\nSet-Cookie: a=b", "aB3dE6gH": "https://example.com/",
	}
	for _, path := range []string{
		"/s/", "/s/unknown1", "/s/AB3DE6GH", "/s/aB3dE6gH/more", "/s/script01", "/s/relative", "/s/data0001", "/s/lines001",
		"/s/https://evil.example", "/s/" + strings.Repeat("x", 500),
	} {
		got := b.ask(t, path)
		require.Equal(t, http.StatusNotFound, got.StatusCode, path)
		require.Contains(t, got.body, "This short link does not exist.", path)
		require.Empty(t, got.Header.Get("Location"), path)
	}
	got := b.ask(t, "/s/aB3dE6gH?to=https://evil.example&url=https://evil.example")
	require.Equal(t, "https://example.com/", got.Header.Get("Location"))

	b.set(func() { b.down = errors.New("down") })
	require.Equal(t, http.StatusFound, b.ask(t, "/s/aB3dE6gH").StatusCode, "known targets need no database")
	require.Equal(t, http.StatusServiceUnavailable, b.ask(t, "/s/unknown2", func(r *request) { r.remote = "198.51.100.7:1" }).StatusCode)
}
