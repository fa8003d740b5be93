package httpapi_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/api/internal/httpapi"
	"fencepost.internal/services/internal/requestlog"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// logged returns a bundle whose requests are in a log, and the log.
func logged(t *testing.T, options ...func(*httpapi.Config)) (*bundle, *requestlog.Log) {
	t.Helper()
	b := world(t)
	requests, err := requestlog.New(requestlog.Config{
		Store: postgres.NewRequests(b.db), Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	})
	require.NoError(t, err)
	b.build(t, append(options, func(cfg *httpapi.Config) { cfg.Requests = requests })...)
	b.serve(t)
	return b, requests
}

// TestRequestsOfCredentialsAreLogged sends requests of all kinds and finds them by the IDs of their responses.
func TestRequestsOfCredentialsAreLogged(t *testing.T) {
	t.Parallel()
	b, requests := logged(t)
	id := b.draft(t, b.ours)
	narrow := b.key(t, b.ours.id, credential.MediaWrite)
	missing := ident.New[ident.Post]().String()
	for name, c := range map[string]struct {
		request                      request
		status                       int
		code, operation, path, query string
	}{
		"read": {
			request{path: "/v1/posts?limit=1&q=ada%40example.com&status=DRAFT&label=secret&externalId=7", key: b.ours.key},
			http.StatusOK, "", "list-posts", "/v1/posts", "limit=1&q=…&status=DRAFT&label=…&externalId=…",
		},
		"one":        {request{path: "/v1/posts/" + id, key: b.ours.key}, http.StatusOK, "", "get-post", "/v1/posts/" + id, ""},
		"missing":    {request{path: "/v1/posts/" + missing, key: b.ours.key}, http.StatusNotFound, "NOT_FOUND", "get-post", "/v1/posts/" + missing, ""},
		"no ID":      {request{path: "/v1/posts/ada@example.com", key: b.ours.key}, http.StatusNotFound, "NOT_FOUND", "get-post", "/v1/posts/…", ""},
		"faulty":     {request{path: "/v1/posts?limit=ada@example.com&ada=1", key: b.ours.key}, http.StatusUnprocessableEntity, "VALIDATION_FAILED", "list-posts", "/v1/posts", "limit=…&…"},
		"malformed":  {request{method: http.MethodPost, path: "/v1/posts", key: b.ours.key, contentType: "application/json", body: `{"content":"private`}, http.StatusBadRequest, "MALFORMED_REQUEST", "create-posts", "/v1/posts", ""},
		"scope":      {request{path: "/v1/channels", key: narrow}, http.StatusForbidden, "INSUFFICIENT_SCOPE", "list-channels", "/v1/channels", ""},
		"own ID":     {request{path: "/v1/workspace", key: b.ours.key, header: map[string]string{"X-Request-Id": "my-request.7"}}, http.StatusOK, "", "get-workspace", "/v1/workspace", ""},
		"long agent": {request{path: "/v1/workspace", key: b.ours.key, header: map[string]string{"User-Agent": strings.Repeat("x", 900)}}, http.StatusOK, "", "get-workspace", "/v1/workspace", ""},
	} {
		if c.request.method == "" {
			c.request.method = http.MethodGet
		}
		response := b.do(t, c.request)
		require.Equal(t, c.status, response.status, name)
		require.NoError(t, requests.Flush(t.Context()))
		requestID := response.header.Get("X-Request-Id")
		if c.code != "" {
			require.Equal(t, requestID, response.object(t)["requestId"], name)
		}
		found, err := postgres.NewRequests(b.db).List(t.Context(), b.ours.id, postgres.RequestFilter{RequestID: requestID, Limit: 10})
		require.NoError(t, err)
		require.Len(t, found, 1, name)
		r := found[0]
		require.Equal(t, c.status, r.Status, name)
		require.Equal(t, c.code, r.Code, name)
		require.Equal(t, c.operation, r.Operation, name)
		require.Equal(t, c.path, r.Path, name)
		require.Equal(t, c.query, r.Query, name)
		require.Equal(t, c.request.method, r.Method, name)
		require.Regexp(t, `^203\.0\.\d+\.0/24$`, r.Client, name)
		require.LessOrEqual(t, len(r.Agent), 310, name)
	}
	kept := strings.Join(b.column(t, `SELECT r::text FROM request_log r`), "\n")
	for _, secret := range []string{b.ours.key, narrow, "ada@example.com", "private", "secret"} {
		require.NotContains(t, kept, secret)
	}
	theirs, err := postgres.NewRequests(b.db).List(t.Context(), b.theirs.id, postgres.RequestFilter{Limit: 10})
	require.NoError(t, err)
	require.Empty(t, theirs)
}

// TestRequestsWithoutCredentialAreNotLogged checks that guesses and pages leave no entry.
func TestRequestsWithoutCredentialAreNotLogged(t *testing.T) {
	t.Parallel()
	b, requests := logged(t)
	for _, r := range []request{
		{path: "/docs"}, {path: "/v1/posts"}, {path: "/v1/posts", key: credential.APIKey.New()}, {path: "/nothing", key: b.ours.key},
	} {
		r.method = http.MethodGet
		b.do(t, r)
	}
	require.NoError(t, requests.Flush(t.Context()))
	require.Equal(t, []string{"0"}, b.column(t, `SELECT count(*)::text FROM request_log`))
}
