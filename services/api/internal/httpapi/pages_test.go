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

	"fencepost.internal/services/api/internal/httpapi/docs"
	"fencepost.internal/services/internal/problem"
)

func TestProblemPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, kind := range problem.Kinds() {
		page := b.do(t, request{method: http.MethodGet, path: "/problems/" + kind.Slug()})
		require.Equal(t, http.StatusOK, page.status)
		require.Equal(t, "text/html; charset=utf-8", page.header.Get("Content-Type"))
		require.Contains(t, page.body, string(kind.Code))
		require.Contains(t, page.body, kind.Title)
	}
}

// TestDocumentation visits every page that the first page leads to, without a credential, and finds every operation there.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	root := b.do(t, request{method: http.MethodGet, path: "/"})
	require.Equal(t, http.StatusFound, root.status)
	require.Equal(t, "/docs", root.header.Get("Location"))
	seen, waiting := map[string]bool{"/docs": true, "/llms.txt": true}, []string{"/docs", "/llms.txt"}
	links := regexp.MustCompile(`(?:href|src)="(/[^"#?]*)|\]\(` + regexp.QuoteMeta(baseURL) + `(/[^)#]*)`)
	for len(waiting) > 0 {
		path := waiting[0]
		waiting = waiting[1:]
		page := b.do(t, request{method: http.MethodGet, path: path})
		require.Equal(t, http.StatusOK, page.status, path)
		if strings.HasPrefix(page.header.Get("Content-Type"), "text/html") {
			require.Equal(t, docs.Policy, page.header.Get("Content-Security-Policy"), path)
			require.NotContains(t, page.body, "<script", path)
		}
		for _, link := range links.FindAllStringSubmatch(page.body, -1) {
			if to := link[1] + link[2]; !seen[to] && to != "/v1/openapi.json" {
				seen[to] = true
				waiting = append(waiting, to)
			}
		}
	}
	_, operations := b.document(t)
	for _, op := range operations {
		require.True(t, seen["/docs/reference/"+op.OperationID], op.OperationID)
		page := b.do(t, request{method: http.MethodGet, path: "/docs/reference/" + op.OperationID})
		for _, p := range op.Parameters {
			if p.Ref == "" {
				require.Contains(t, page.body, `<code class="name">`+p.Name+`</code>`, op.OperationID)
			}
		}
		require.Contains(t, page.body, "</span> "+op.path+"</code>", op.OperationID)
	}
	require.Greater(t, len(seen), 200)
	for path := range seen {
		if strings.Contains(path, "/assets/") {
			b.requireAsset(t, path, "public, max-age=31536000, immutable")
		}
	}
	for _, path := range []string{
		"/v1/openapi.json", "/docs", "/llms.txt", "/docs/guides/quickstart", "/docs/guides/quickstart.md", "/docs/reference/create-posts",
		"/problems/not-found", "/docs/changelog.atom", "/docs/postman.json",
	} {
		b.requireAsset(t, path, "public, max-age=60, must-revalidate")
	}
}

// TestSearchOfDocumentation sends the form of the search.
func TestSearchOfDocumentation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	found := b.do(t, request{method: http.MethodGet, path: "/docs/search?q=idempotency+key+reused"})
	require.Equal(t, http.StatusOK, found.status)
	require.Contains(t, found.body, `href="/problems/idempotency-key-reused"`)
	require.Equal(t, docs.Policy, found.header.Get("Content-Security-Policy"))
	require.Equal(t, "no-store", found.header.Get("Cache-Control"))
	for _, query := range []string{
		"", "?q=", "?q=a&q=b", "?q=%00%ff%3Cscript%3Ealert(1)%3C/script%3E", "?q=" + strings.Repeat("a+", 3000), "?other=1",
	} {
		page := b.do(t, request{method: http.MethodGet, path: "/docs/search" + query})
		require.Equal(t, http.StatusOK, page.status, query)
		require.NotContains(t, page.body, "<script")
	}
	require.Equal(t, http.StatusMethodNotAllowed, b.do(t, request{method: http.MethodPost, path: "/docs/search"}).status)
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
}
