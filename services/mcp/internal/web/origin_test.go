package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOrigins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.draft(t, b.ours)
	send := func(tool string, origins ...string) toolResponse {
		r := callOf(t, newest, b.ours.key, tool, object{"postId": id})
		r.header["Origin"] = origins
		return b.do(t, r)
	}
	none := send("list_posts")
	require.Equal(t, http.StatusOK, none.status)
	require.Equal(t, "Origin", none.header.Get("Vary"))
	require.Empty(t, none.header.Get("Access-Control-Allow-Origin"))
	for _, origin := range []string{agentURL, "https://mcp.test.example", "https://MCP.test.example"} {
		a := send("list_posts", origin)
		require.Equal(t, http.StatusOK, a.status, origin)
		require.Equal(t, origin, a.header.Get("Access-Control-Allow-Origin"))
		require.Empty(t, a.header.Get("Access-Control-Allow-Credentials"))
		require.Contains(t, a.header.Get("Access-Control-Expose-Headers"), "WWW-Authenticate")
	}
	for _, origins := range [][]string{
		{"https://evil.example"},
		{"null"},
		{""},
		{agentURL, agentURL},
		{agentURL, "https://evil.example"},
		{agentURL + ".evil.example"},
		{"http://agent.test.example"},
		{agentURL + ":8443"},
		{agentURL + "/"},
		{"http://localhost"},
		{"http://" + b.host()},
		{agentURL + ", https://evil.example"},
		{"https://x@agent.test.example"},
	} {
		a := send("publish_post", origins...)
		requireRPCError(t, a, http.StatusForbidden, -32600)
		require.Contains(t, a.body, `"id":null`)
		require.Equal(t, "application/json", a.header.Get("Content-Type"))
		require.Empty(t, a.header.Get("Access-Control-Allow-Origin"), origins)
		requireBudget(t, a)
	}
	require.Equal(t, 1, b.count(t, `post WHERE status = 'DRAFT'`))
	b.requireUnauthenticated(t, b.do(t, request{header: http.Header{"Origin": {agentURL}}}), false)
}

func TestPreflight(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ask := func(origin string) toolResponse {
		return b.do(t, request{method: http.MethodOptions, header: http.Header{
			"Origin": {origin}, "Access-Control-Request-Method": {"POST"},
			"Access-Control-Request-Headers": {"authorization,mcp-protocol-version"},
		}})
	}
	a := ask(agentURL)
	require.Equal(t, http.StatusNoContent, a.status, "without a credential: browsers send none")
	require.Equal(t, agentURL, a.header.Get("Access-Control-Allow-Origin"))
	require.Contains(t, a.header.Get("Access-Control-Allow-Methods"), "POST")
	for _, name := range []string{
		"authorization", "content-type", "accept", "mcp-protocol-version", "mcp-method", "mcp-name",
	} {
		require.Contains(t, strings.ToLower(a.header.Get("Access-Control-Allow-Headers")), name)
	}
	requireBudget(t, a)
	refused := ask("https://evil.example")
	require.Equal(t, http.StatusForbidden, refused.status)
	require.Empty(t, refused.header.Get("Access-Control-Allow-Methods"))
	plain := b.do(t, request{method: http.MethodOptions})
	require.Equal(t, http.StatusNoContent, plain.status)
	require.Equal(t, "POST, OPTIONS", plain.header.Get("Allow"))
}

// TestMetadata covers the protected resource metadata (RFC 9728).
func TestMetadata(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var first string
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		for _, origin := range []string{"https://anybody.example", "null"} {
			a := b.do(t, request{method: http.MethodGet, path: path, header: http.Header{"Origin": {origin}}})
			require.Equal(t, http.StatusOK, a.status)
			require.Equal(t, "application/json", a.header.Get("Content-Type"))
			require.Equal(t, "*", a.header.Get("Access-Control-Allow-Origin"))
			require.Contains(t, a.header.Get("Cache-Control"), "public")
			requireBudget(t, a)
			if first == "" {
				first = a.body
			}
			require.Equal(t, first, a.body, "both say the same")
		}
		head := b.do(t, request{method: http.MethodHead, path: path})
		require.Equal(t, http.StatusOK, head.status)
		require.Empty(t, head.body)
		flight := b.do(t, request{
			method: http.MethodOptions, path: path, header: http.Header{"Origin": {"https://anybody.example"}},
		})
		require.Equal(t, http.StatusNoContent, flight.status)
		require.Equal(t, "*", flight.header.Get("Access-Control-Allow-Origin"))
		refused := b.do(t, request{method: http.MethodPost, path: path})
		requireProblem(t, refused, http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED")
		require.Equal(t, "GET, HEAD, OPTIONS", refused.header.Get("Allow"))
		spoofed := b.do(t, request{
			method: http.MethodGet, path: path,
			header: http.Header{"X-Forwarded-Host": {"evil.example"}, "Forwarded": {"host=evil.example"}},
		})
		require.Equal(t, first, spoofed.body)
	}
	document := decoded(t, first)
	require.Equal(t, toolsURL, document["resource"])
	require.Equal(t, []any{baseURL}, document["authorization_servers"])
	require.Equal(t, []any{"header"}, document["bearer_methods_supported"])
	require.NotEmpty(t, document["scopes_supported"])
	require.NotContains(t, first, "offline_access")
	require.NotEmpty(t, document["resource_name"])
}
