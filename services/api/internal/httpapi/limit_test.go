package httpapi_test

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/api/internal/httpapi"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// budget holds the rate-limit headers of a response.
type budget struct{ limit, remaining, reset int }

// requireBudget checks that a response has each rate-limit header once.
func requireBudget(t testing.TB, a response) budget {
	t.Helper()
	number := func(name string) int {
		require.Len(t, a.header.Values(name), 1, "%s of %d %s", name, a.status, a.body)
		n, err := strconv.Atoi(a.header.Get(name))
		require.NoError(t, err)
		require.GreaterOrEqual(t, n, 0, name)
		return n
	}
	got := budget{
		limit: number("RateLimit-Limit"), remaining: number("RateLimit-Remaining"), reset: number("RateLimit-Reset"),
	}
	require.Positive(t, got.limit)
	require.LessOrEqual(t, got.remaining, got.limit)
	require.LessOrEqual(t, got.reset, 60)
	return got
}

// requireLimited checks the response to a rate-limited request.
func requireLimited(t testing.TB, a response) {
	t.Helper()
	requireProblem(t, a, http.StatusTooManyRequests, "RATE_LIMITED")
	got := requireBudget(t, a)
	require.Zero(t, got.remaining)
	wait, err := strconv.Atoi(a.header.Get("Retry-After"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, wait, 1)
	require.LessOrEqual(t, wait, 60)
	require.InDelta(t, wait, got.reset, 1)
}

// The limits of the test server.
const (
	ofCredentials = 1_000_000
	ofPages       = 600
	ofGuesses     = 90
)

func TestEveryOperationReportsLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.poked = b.importer(t, b.imported)
	doc, operations := b.document(t)
	for _, op := range operations {
		s := subject{bundle: b, op: op, doc: doc}
		if op.Public {
			require.Equal(t, ofPages, requireBudget(t, s.call(t, func(*request) {})).limit, op.OperationID)
			continue
		}
		s.op, s.mine, s.foreign = b.subjects(t, op)
		for want, change := range map[int][]func(*request){
			ofCredentials: {
				func(*request) {},
				func(r *request) { r.header = map[string]string{"Accept": "text/html"} },
				func(r *request) { r.contentType, r.body = "text/plain", "x" },
				func(r *request) { r.contentType, r.body = "application/json", "{" },
				func(r *request) { r.path = s.at(s.foreign) },
				func(r *request) { r.key = b.key(t, b.ours.id) },
			},
			ofPages:   {func(r *request) { r.key = "" }},
			ofGuesses: {func(r *request) { r.key = "x" }},
		} {
			for _, c := range change {
				a := s.call(t, c)
				require.Equal(t, want, requireBudget(t, a).limit, "%s %d", op.OperationID, a.status)
			}
		}
	}
}

func TestEveryOtherResponseReportsLimit(t *testing.T) {
	t.Parallel()
	b := unserved(t)
	b.server.Fiber().Get("/panic", func(*fiber.Ctx) error { panic("inside") }) //nolint:forbidigo // subject of the test
	b.serve(t)
	tag := b.do(t, request{method: http.MethodGet, path: "/docs"}).header.Get("ETag")
	for _, c := range []struct {
		status int
		r      request
	}{
		{200, request{method: http.MethodGet, path: "/docs"}},
		{304, request{method: http.MethodGet, path: "/docs", header: map[string]string{"If-None-Match": tag}}},
		{200, request{method: http.MethodGet, path: "/problems/not-found"}},
		{404, request{method: http.MethodGet, path: "/problems/x"}},
		{302, request{method: http.MethodGet, path: "/"}},
		{404, request{method: http.MethodGet, path: "/v1/nothing", key: b.ours.key}},
		{200, request{method: http.MethodHead, path: "/v1/posts", key: b.ours.key}},
		{401, request{method: http.MethodHead, path: "/v1/posts"}},
		{405, request{method: http.MethodOptions, path: "/v1/posts"}},
		{405, request{method: http.MethodPut, path: "/v1/posts", key: b.ours.key}},
		{405, request{method: "BREW", path: "/v1/posts", key: b.ours.key}},
		{
			413,
			request{
				method: http.MethodPost, path: "/v1/posts", key: b.ours.key, contentType: "application/json",
				body: strings.Repeat(" ", 4<<20),
			},
		},
		{431, request{method: http.MethodGet, path: "/v1/posts?" + strings.Repeat("x", 100<<10), key: b.ours.key}},
		{500, request{method: http.MethodGet, path: "/panic"}},
	} {
		a := b.do(t, c.r)
		require.Equal(t, c.status, a.status, "%s %.40s", c.r.method, c.r.path)
		requireBudget(t, a)
	}
	for _, text := range []string{
		"nonsense\r\n\r\n", "POST /v1/posts HTTP/1.1\r\nHost: x\r\nContent-Length: two\r\n\r\n",
		"POST /v1/posts HTTP/1.1\r\nHost: x\r\nContent-Length: 10485760\r\n\r\n{",
	} {
		require.Equal(t, ofPages, requireBudget(t, b.raw(t, text)).limit, text)
	}
	hasty := b.twin(t, func(c *httpapi.Config) { c.RequestTimeout = time.Nanosecond })
	require.Equal(t, ofCredentials, requireBudget(t, hasty.get(t, "/v1/posts")).limit)
}

func TestEachCredentialHasRateLimit(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *httpapi.Config) { c.RequestsPerMinute = 2 }) // one returns after 30 seconds
	for remaining := 1; remaining >= 0; remaining-- {
		a := b.get(t, "/v1/workspace")
		require.Equal(t, http.StatusOK, a.status)
		got := requireBudget(t, a)
		require.Equal(t, 2, got.limit)
		require.Equal(t, remaining, got.remaining)
		require.Positive(t, got.reset)
	}
	for _, refused := range []response{
		b.get(t, "/v1/workspace"), b.post(t, "/v1/posts", b.ours.withContent("x")), b.post(t, "/v1/posts", `{`),
		b.get(t, "/v1/posts/x"),
		b.do(t, request{method: http.MethodDelete, path: "/v1/posts/x", key: b.ours.key}),
	} {
		requireLimited(t, refused)
	}
	require.Zero(t, b.count(t, `post`))
	require.Equal(t, http.StatusTooManyRequests,
		b.do(t, request{method: http.MethodHead, path: "/v1/posts", key: b.ours.key}).status)

	another := b.key(t, b.ours.id)
	require.Equal(t, http.StatusOK, b.do(t, request{method: http.MethodGet, path: "/v1/workspace", key: another}).status)
	require.Zero(t, requireBudget(t, b.do(t,
		request{method: http.MethodGet, path: "/v1/posts", key: another})).remaining, "refusals count, too")
	require.Equal(t, http.StatusOK, b.do(t, request{
		method: http.MethodGet, path: "/v1/workspace", key: b.theirs.key,
	}).status)
	require.Equal(t, http.StatusOK, b.get(t, "/docs").status, "pages are not for credentials")
}

func TestProcessesShareLimit(t *testing.T) {
	t.Parallel()
	limited := func(c *httpapi.Config) { c.RequestsPerMinute = 2 }
	b := setup(t, limited)
	other := b.twin(t, limited)
	for i := range 2 {
		require.Equal(t, http.StatusOK, []*bundle{b, other}[i%2].get(t, "/v1/workspace").status)
	}
	requireLimited(t, other.get(t, "/v1/workspace"))
	requireLimited(t, b.get(t, "/v1/workspace"))
	requireLimited(t, b.twin(t, limited).get(t, "/v1/workspace"))
}

func TestPlansSetLimit(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *httpapi.Config) { c.RequestsPerMinute = 0 })
	for plan, want := range map[workspace.Plan]int{workspace.Free: 600, workspace.Growth: 600, workspace.Agency: 3000} {
		w := workspace.Workspace{
			ID: ident.New[ident.Workspace](), Name: "Acme", Plan: plan, Timezone: "UTC", CreatedAt: time.Now(),
		}
		require.NoError(t, postgres.NewWorkspaces(b.db).Insert(t.Context(), w))
		read := b.do(t, request{method: http.MethodGet, path: "/v1/workspace", key: b.key(t, w.ID)})
		require.Equal(t, want, requireBudget(t, read).limit, plan)
		usage, ok := read.object(t)["usage"].(map[string]any)
		require.True(t, ok)
		require.InDelta(t, want, usage["requestsPerMinute"], 0, plan)
	}
}

// TestGuessing sends invalid credentials from one address until it is rejected. Some budget returns meanwhile.
func TestGuessing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from := map[string]string{"X-Forwarded-For": "198.51.100.7"}
	try := func(key string, header map[string]string) response {
		return b.do(t, request{method: http.MethodGet, path: "/v1/workspace", key: key, header: header})
	}
	start, wrong := time.Now(), 0
	refused := try("svc_live_wrong", from)
	for ; refused.status == http.StatusUnauthorized && wrong < 1000; wrong++ {
		require.Equal(t, ofGuesses, requireBudget(t, refused).limit)
		refused = try([]string{"x", "svc_live_wrong"}[wrong%2], from)
	}
	requireLimited(t, refused)
	require.NotContains(t, refused.header, "Www-Authenticate")
	require.GreaterOrEqual(t, wrong, ofGuesses)
	require.LessOrEqual(t, float64(wrong), math.Ceil(ofGuesses*(1+time.Since(start).Minutes()))+1)

	require.Equal(t, http.StatusOK, try(b.ours.key, from).status, "who has a key is not held liable for the neighbours")
	require.Equal(t, http.StatusOK, b.do(t, request{method: http.MethodGet, path: "/docs", header: from}).status)
	require.Equal(t, http.StatusUnauthorized, try("x", map[string]string{"X-Forwarded-For": "198.51.100.8"}).status)
}
