package web_test

import (
	"bufio"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/mcp/internal/web"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
)

func readResponse(t testing.TB, from io.Reader) toolResponse {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(from), nil)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return toolResponse{status: res.StatusCode, header: res.Header, body: string(body)}
}

// budget holds the rate-limit headers of a response.
type budget struct{ limit, remaining, reset int }

// requireBudget checks that a response has each rate-limit header once.
func requireBudget(t testing.TB, a toolResponse) budget {
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

// challenge parses a WWW-Authenticate header (RFC 6750, section 3).
func challenge(t testing.TB, a toolResponse) map[string]string {
	t.Helper()
	require.Len(t, a.header.Values("WWW-Authenticate"), 1, a.body)
	text, ok := strings.CutPrefix(a.header.Get("WWW-Authenticate"), "Bearer ")
	require.True(t, ok)
	out := map[string]string{}
	for _, part := range strings.Split(text, ", ") {
		name, value, ok := strings.Cut(part, "=")
		require.True(t, ok, text)
		require.NotContains(t, out, name)
		out[name] = strings.Trim(value, `"`)
		require.Equal(t, `"`+out[name]+`"`, value)
	}
	require.NotEmpty(t, out["realm"])
	return out
}

// requireUnauthenticated checks the response to a request without a valid credential.
func (b *bundle) requireUnauthenticated(t testing.TB, a toolResponse, sent bool) {
	t.Helper()
	requireProblem(t, a, http.StatusUnauthorized, "UNAUTHENTICATED")
	requireBudget(t, a)
	got := challenge(t, a)
	want := ""
	if sent {
		want = "invalid_token"
	}
	require.Equal(t, want, got["error"])
	for _, scope := range strings.Fields(got["scope"]) {
		require.True(t, credential.Scope(scope).Known(), scope)
	}
	require.NotEmpty(t, got["scope"])
	address, found := strings.CutPrefix(got["resource_metadata"], "https://mcp.test.example")
	require.True(t, found, got)
	require.Equal(t, http.StatusOK, b.do(t, request{method: http.MethodGet, path: address}).status, "which resolves")
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.draft(t, b.ours)
	unknown := credential.APIKey.New()
	expired := b.keyUntil(t, b.ours.id, time.Now().Add(-time.Second), credential.Scopes()...)
	for name, c := range map[string]struct {
		headers []string
		sent    bool
	}{
		"none": {nil, false}, "Basic": {[]string{"Basic dXNlcjpwYXNz"}, false}, "no token": {[]string{"Bearer"}, false},
		"empty":   {[]string{"Bearer "}, false},
		"garbage": {[]string{"Bearer x"}, true}, "unknown": {[]string{"Bearer " + unknown}, true},
		"expired":      {[]string{"Bearer " + expired}, true},
		"cut":          {[]string{"Bearer " + b.ours.key[:20]}, true},
		"two tokens":   {[]string{"Bearer " + b.ours.key + " " + b.ours.key}, true},
		"two headers":  {[]string{"Bearer " + b.ours.key, "Bearer " + b.ours.key}, true},
		"no scheme":    {[]string{b.ours.key}, false},
		"as a session": {[]string{"Bearer " + strings.Replace(b.ours.key, "svc_live_", "svc_oat_", 1)}, true},
	} {
		t.Log(name)
		r := callOf(t, newest, "", "publish_post", object{"postId": id})
		r.header["Authorization"] = c.headers
		refused := b.do(t, r)
		b.requireUnauthenticated(t, refused, c.sent)
		require.NotContains(t, refused.body, b.ours.key[:20])
	}
	for _, where := range []string{
		"?access_token=" + b.ours.key, "?token=" + b.ours.key, "?Authorization=Bearer%20" + b.ours.key,
	} {
		r := callOf(t, newest, "", "publish_post", object{"postId": id})
		r.path = "/mcp" + where
		b.requireUnauthenticated(t, b.do(t, r), false)
	}
	require.Equal(t, 1, b.count(t, `post WHERE status = 'DRAFT'`))
	for _, scheme := range []string{"bearer ", "BEARER ", "Bearer  "} {
		r := callOf(t, newest, "", "list_posts", object{})
		r.header.Set("Authorization", scheme+b.ours.key)
		require.Equal(t, http.StatusOK, b.do(t, r).status, scheme)
	}
	require.NotContains(t, b.logs.String(), b.ours.key)
}

func TestRevokedKeysEndWithinSecond(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key := b.key(t, b.ours.id, credential.Scopes()...)
	b.call(t, key, "list_posts", object{})
	hash, err := credential.APIKey.Hash(key)
	require.NoError(t, err)
	found, _, _, err := postgres.NewKeys(b.db).ByHash(t.Context(), hash)
	require.NoError(t, err)
	require.NoError(t, postgres.NewKeys(b.db).Revoke(t.Context(), b.ours.id, found.ID, time.Now()))
	require.Eventually(t, func() bool {
		return b.do(t, callOf(t, newest, key, "list_posts", object{})).status == http.StatusUnauthorized
	}, 4*time.Second, 20*time.Millisecond)
	b.requireUnauthenticated(t, b.do(t, callOf(t, newest, key, "list_posts", object{})), true)
}

func TestLimits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	strict := b.twin(t, func(c *web.Config) { c.Gate = b.gate(t, 6) })
	key := b.key(t, b.ours.id, credential.Scopes()...)
	send := func(change func(r *request)) toolResponse {
		r := callOf(t, newest, key, "list_posts", object{})
		change(&r)
		return strict.do(t, r)
	}
	for remaining := 5; remaining >= 0; remaining-- { // every request counts, whatever its result
		a := send([]func(r *request){
			func(*request) {}, func(r *request) { r.body = "{" }, func(r *request) { r.method = http.MethodGet },
			func(r *request) { r.header.Set("Mcp-Name", "x") }, func(r *request) { r.body = "[" + r.body + "]" },
			func(r *request) { r.header.Set("Accept", "x") },
		}[remaining])
		got := requireBudget(t, a)
		require.Equal(t, 6, got.limit)
		require.Equal(t, remaining, got.remaining)
	}
	refused := send(func(r *request) { r.header.Set("Origin", agentURL) })
	requireProblem(t, refused, http.StatusTooManyRequests, "RATE_LIMITED")
	require.Zero(t, requireBudget(t, refused).remaining)
	wait, err := strconv.Atoi(refused.header.Get("Retry-After"))
	require.NoError(t, err)
	require.Positive(t, wait)
	require.Contains(t, refused.header.Get("Access-Control-Expose-Headers"), "Retry-After")
	require.Equal(t, http.StatusOK, strict.do(t, callOf(t, newest, b.theirs.key, "list_posts", object{})).status,
		"others have a limit of their own")
}

// TestGuessing sends invalid credentials from one address until it is rejected.
func TestGuessing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	from := http.Header{"X-Forwarded-For": {"198.51.100.7"}}
	try := func(key string) toolResponse { return b.do(t, request{key: key, header: from, body: "{}"}) }
	refused := try("svc_live_wrong")
	for n := 0; refused.status == http.StatusUnauthorized && n < 1000; n++ {
		require.Equal(t, 90, requireBudget(t, refused).limit)
		refused = try("x")
	}
	requireProblem(t, refused, http.StatusTooManyRequests, "RATE_LIMITED")
	require.Empty(t, refused.header.Get("WWW-Authenticate"))
	require.Equal(t, http.StatusBadRequest, try(b.ours.key).status, "who has a key is not held liable for the neighbours")
}
