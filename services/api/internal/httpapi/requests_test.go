package httpapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// request is a request of a test. Zero fields are omitted.
type request struct {
	method      string
	path        string
	key         string
	contentType string
	body        string
	header      map[string]string
}

// response is a complete response.
type response struct {
	status int
	header http.Header
	body   string
}

func (b *bundle) do(t testing.TB, r request) response {
	t.Helper()
	var body io.Reader = http.NoBody
	if r.body != "" {
		body = strings.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(t.Context(), r.method, "http://"+b.address+r.path, body)
	require.NoError(t, err)
	if r.key != "" {
		req.Header.Set("Authorization", "Bearer "+r.key)
	}
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	req.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.%d.%d", rand.IntN(256), rand.IntN(256))) //nolint:gosec // any address will do
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	res, err := b.client.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return response{status: res.StatusCode, header: res.Header, body: string(raw)}
}

func (b *bundle) get(t testing.TB, path string) response {
	t.Helper()
	return b.do(t, request{method: http.MethodGet, path: path, key: b.ours.key})
}

func (b *bundle) post(t testing.TB, path, body string) response {
	t.Helper()
	contentType := ""
	if body != "" {
		contentType = "application/json"
	}
	return b.do(t, request{method: http.MethodPost, path: path, key: b.ours.key, contentType: contentType, body: body})
}

// draft creates a draft and returns its id.
func (b *bundle) draft(t testing.TB, of tenant) string {
	t.Helper()
	created := b.do(t, request{
		method: http.MethodPost, path: "/v1/posts", key: of.key, contentType: "application/json",
		body: `{"channelIds":["` + of.channel.String() + `"],"content":"Hello"}`,
	})
	require.Equal(t, http.StatusCreated, created.status, created.body)
	return text(t, created.list(t)[0], "id")
}

func (a response) object(t testing.TB) map[string]any {
	t.Helper()
	var out map[string]any
	a.into(t, &out)
	return out
}

func (a response) list(t testing.TB) []map[string]any {
	t.Helper()
	var out []map[string]any
	a.into(t, &out)
	return out
}

// into decodes the body into a value.
func (a response) into(t testing.TB, value any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(a.body), value), a.body)
}

// text returns a property that must be a string.
func text(t testing.TB, object map[string]any, name string) string {
	t.Helper()
	value, ok := object[name].(string)
	require.True(t, ok, name)
	return value
}

// requireProblem checks the common parts of every error response.
func requireProblem(t testing.TB, a response, status int, code string) map[string]any {
	t.Helper()
	require.Equal(t, status, a.status, a.body)
	require.Equal(t, "application/problem+json", a.header.Get("Content-Type"))
	require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"))
	require.Empty(t, a.header.Get("Server"))
	p := a.object(t)
	require.Equal(t, code, p["code"], a.body)
	require.InDelta(t, status, p["status"], 0)
	require.Equal(t, baseURL+"/problems/"+strings.ReplaceAll(strings.ToLower(code), "_", "-"), p["type"])
	require.NotEmpty(t, p["title"])
	require.NotEmpty(t, p["detail"])
	require.Equal(t, a.header.Get("X-Request-Id"), p["requestId"])
	require.NotEmpty(t, p["requestId"])
	return p
}

// pointers returns the pointers of a validation error.
func pointers(t testing.TB, p map[string]any) []string {
	t.Helper()
	var out []string
	faults, ok := p["errors"].([]any)
	require.True(t, ok, p)
	for _, f := range faults {
		fault, ok := f.(map[string]any)
		require.True(t, ok)
		require.NotEmpty(t, fault["message"])
		pointer, ok := fault["pointer"].(string)
		require.True(t, ok)
		out = append(out, pointer)
	}
	return out
}
