package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/problem"
)

func TestProblemPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, kind := range problem.Kinds() {
		page := b.do(t, request{method: http.MethodGet, path: "/problems/" + kind.Slug()})
		require.Equal(t, http.StatusOK, page.status)
		require.Equal(t, "text/html; charset=utf-8", page.header.Get("Content-Type"))
		require.Contains(t, page.header.Get("Content-Security-Policy"), "default-src 'none'; style-src 'sha256-")
		require.Contains(t, page.body, string(kind.Code))
		require.Contains(t, page.body, kind.Title)
	}
}

func TestReference(t *testing.T) {
	t.Parallel()
	b := setup(t)
	root := b.do(t, request{method: http.MethodGet, path: "/"})
	require.Equal(t, http.StatusFound, root.status)
	require.Equal(t, "/docs", root.header.Get("Location"))

	page := b.do(t, request{method: http.MethodGet, path: "/docs"})
	require.Equal(t, http.StatusOK, page.status)
	require.NotContains(t, page.header.Get("Content-Security-Policy"), "http")
	scripts := regexp.MustCompile(`src="([^"]+)"`).FindAllStringSubmatch(page.body, -1)
	require.Len(t, scripts, 2)
	for _, script := range scripts {
		require.True(t, strings.HasPrefix(script[1], "/docs/assets/"))
		b.requireAsset(t, script[1], "public, max-age=31536000, immutable")
	}
	b.requireAsset(t, "/v1/openapi.json", "public, max-age=60, must-revalidate")
	b.requireAsset(t, "/docs", "public, max-age=60, must-revalidate")
}

// requireAsset reads a file compressed, uncompressed, and conditionally.
func (b *bundle) requireAsset(t *testing.T, path, cache string) {
	t.Helper()
	read := func(header map[string]string) response {
		return b.do(t, request{method: http.MethodGet, path: path, header: header})
	}
	packed := read(map[string]string{"Accept-Encoding": "br, gzip"})
	require.Equal(t, "gzip", packed.header.Get("Content-Encoding"))
	require.Equal(t, "Accept-Encoding", packed.header.Get("Vary"))
	require.Equal(t, cache, packed.header.Get("Cache-Control"))
	require.Equal(t, "nosniff", packed.header.Get("X-Content-Type-Options"))
	unpacker, err := gzip.NewReader(bytes.NewBufferString(packed.body))
	require.NoError(t, err)
	content, err := io.ReadAll(unpacker)
	require.NoError(t, err)
	for _, encoding := range []string{"identity", "gzip;q=0, identity"} {
		plain := read(map[string]string{"Accept-Encoding": encoding})
		require.Empty(t, plain.header.Get("Content-Encoding"))
		require.Equal(t, string(content), plain.body)
		require.NotEqual(t, plain.header.Get("ETag"), packed.header.Get("ETag"))
	}
	for _, tag := range []string{
		packed.header.Get("ETag"), "W/" + packed.header.Get("ETag"), `"x", ` + packed.header.Get("ETag"), "*",
	} {
		again := read(map[string]string{"Accept-Encoding": "gzip", "If-None-Match": tag})
		require.Equal(t, http.StatusNotModified, again.status)
		require.Empty(t, again.body)
		require.Equal(t, packed.header.Get("ETag"), again.header.Get("ETag"))
	}
	require.Equal(t, http.StatusOK, read(map[string]string{"Accept-Encoding": "gzip", "If-None-Match": `"x"`}).status)
}

// TestGuessedDocumentURLs checks addresses that readers guess or that clients change.
func TestGuessedDocumentURLs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for path, want := range map[string]string{
		"/docs/": "/docs", "/openapi.json": "/v1/openapi.json", "/problems/": "/problems", "/v1/posts/": "/v1/posts",
		"/v1/posts/?limit=1": "/v1/posts?limit=1",
	} {
		got := b.get(t, path)
		require.Contains(t, []int{http.StatusFound, http.StatusPermanentRedirect}, got.status, path)
		require.Equal(t, want, got.header.Get("Location"))
		require.Equal(t, http.StatusOK, b.get(t, want).status, want)
	}
	for _, path := range []string{"//evil.example/", "/v1//evil.example/", "/v1/", "/nothing/"} {
		require.Equal(t, http.StatusNotFound, b.get(t, path).status, path)
	}
	index := b.get(t, "/problems")
	for _, kind := range problem.Kinds() {
		require.Contains(t, index.body, `href="/problems/`+kind.Slug()+`"`)
	}
	models := b.get(t, "/llms.txt")
	require.Equal(t, http.StatusOK, models.status)
	links := regexp.MustCompile(`\]\(`+regexp.QuoteMeta(baseURL)+`(/[^)]+)\): .`).FindAllStringSubmatch(models.body, -1)
	require.Greater(t, len(links), 10)
	for _, link := range links {
		page := b.get(t, link[1])
		require.Equal(t, http.StatusOK, page.status, link[1])
		require.NotEmpty(t, page.body)
	}
}
