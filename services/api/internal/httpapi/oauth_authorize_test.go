package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
)

// publicClient registers a client without a secret and returns its id.
func (b *bundle) publicClient(t testing.TB, redirects ...string) string {
	t.Helper()
	if redirects == nil {
		redirects = []string{callback}
	}
	return member(t, b.register(t, `{"redirect_uris":`+encode(t, redirects)+`,"token_endpoint_auth_method":"none"}`),
		"client_id")
}

func (b *bundle) authorize(t testing.TB, query string) response {
	t.Helper()
	return b.do(t, request{method: http.MethodGet, path: query})
}

// target returns the redirect URL of a response.
func (a response) target(t testing.TB) *url.URL {
	t.Helper()
	require.Equal(t, http.StatusSeeOther, a.status, a.body)
	u, err := url.Parse(a.header.Get("Location"))
	require.NoError(t, err)
	return u
}

// TestUnregisteredRedirects checks that the user sees an error without a redirect (OAuth 2.1, section 4.1.2.1).
func TestUnregisteredRedirects(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.publicClient(t, callback, "http://127.0.0.1/cb", "http://[::1]/cb", "http://localhost:6274/cb")
	for _, uri := range []string{
		"", callback + "/", callback + "?x=1", callback + "?", callback + "#x", "https://planner.example.net/CB",
		"https://PLANNER.example.net/cb",
		"https://planner.example.net:443/cb", "https://ada@planner.example.net/cb", "https://x.planner.example.net/cb",
		"https://planner.example.net/x/../cb",
		"https://planner.example.net.evil.test/cb", "https://evil-planner.example.net/cb", "https://evil.test/?" + callback,
		"http://planner.example.net/cb",
		"https://planner.example.net/%63b", "//planner.example.net/cb", "/cb", "javascript:alert(1)",
		callback + "\r\nSet-Cookie: a=b", callback + "\x00",
		"http://127.0.0.1:80/other", "http://127.0.0.2/cb", "https://127.0.0.1/cb", "http://evil.test:80/cb",
		"http://127.0.0.1@evil.test/cb", "http://localhost.evil.test/cb",
	} {
		got := b.authorize(t, authorizeQuery(id, "redirect_uri="+uri))
		require.Equal(t, http.StatusBadRequest, got.status, uri)
		require.Empty(t, got.header.Get("Location"), uri)
		require.Empty(t, got.header.Get("Set-Cookie"), uri)
	}
	require.Equal(t, http.StatusBadRequest, b.authorize(t,
		authorizeQuery(id)+"&redirect_uri="+url.QueryEscape(callback)).status, "named twice")
	require.Zero(t, b.count(t, "oauth_request"))
	for _, uri := range []string{callback, "http://127.0.0.1:51004/cb", "http://[::1]:8/cb", "http://localhost:1/cb"} {
		require.Equal(t, appURL, origin(b.authorize(t, authorizeQuery(id, "redirect_uri="+uri)).target(t)), uri)
	}
}

func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// TestUnknownClients checks that the form of a client_id is validated first.
func TestUnknownClients(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, id := range []string{
		"", "unknown", "\x00", "svc_cli_\x00", "\xff\xfe", "https://a.test/\x00", strings.Repeat("x", 2049),
		"http://client.test/client.json", "https://client.test", "https://client.test/",
		"https://client.test/a#b", "https://ada@client.test/a", "https://client.test/a/../b", "https://127.0.0.1/client.json",
		"https://[::1]/client.json",
		"https://93.184.216.34/client.json", "https://localhost/client.json", "https://2130706433/client.json",
		"https://a;b.test/client.json",
	} {
		got := b.authorize(t, authorizeQuery(id))
		require.Equal(t, http.StatusBadRequest, got.status, "%q: %s", id, got.body)
		require.Empty(t, got.header.Get("Location"), id)
		got = b.form(t, "/oauth/token", nil, "grant_type", "refresh_token", "client_id", id, "refresh_token",
			credential.RefreshToken.New())
		require.Equal(t, http.StatusUnauthorized, got.status, "%q: %s", id, got.body)
		require.Equal(t, "invalid_client", decoded(t, got)["error"], id)
	}
}

// TestErrorsOfAuthorizationEndpoint checks that errors are redirected to the client, with its state and our issuer
// (RFC 6749, section 4.1.2.1; RFC 9207).
func TestErrorsOfAuthorizationEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.publicClient(t)
	for change, want := range map[string]string{
		"response_type=": "invalid_request", "response_type=token": "unsupported_response_type",
		"response_type=code id_token": "unsupported_response_type",
		"response_mode=fragment":      "invalid_request", "scope=posts:write admin": "invalid_scope",
		"scope=offline_access": "invalid_scope",
		"code_challenge=":      "invalid_request", "code_challenge=" + strings.Repeat("a", 42): "invalid_request",
		"code_challenge=" + strings.Repeat("a", 44): "invalid_request",
		"code_challenge_method=":                    "invalid_request", "code_challenge_method=plain": "invalid_request",
		"code_challenge_method=s256":  "invalid_request",
		"resource=https://other.test": "invalid_target", "resource=" + toolsURL + "#x": "invalid_target",
		"resource=/mcp":                         "invalid_target",
		"resource=https://mcp.test.example/MCP": "invalid_target",
	} {
		back := b.authorize(t, authorizeQuery(id, change)).target(t)
		require.Equal(t, callback, origin(back)+back.Path, change)
		require.Equal(t, want, back.Query().Get("error"), change)
		require.Equal(t, []string{baseURL}, back.Query()["iss"], change)
		require.Equal(t, "s t", back.Query().Get("state"), change)
		require.False(t, back.Query().Has("code"), change)
	}
	for _, twice := range []string{
		"response_type=code", "scope=posts:write", "state=x", "code_challenge=x", "code_challenge_method=S256",
		"response_mode=query",
	} {
		query := authorizeQuery(id) + "&" + strings.ReplaceAll(twice, " ", "+")
		if strings.HasPrefix(twice, "response_mode") {
			query += "&" + twice
		}
		back := b.authorize(t, query).target(t)
		require.Equal(t, "invalid_request", back.Query().Get("error"), twice)
	}
	back := b.authorize(t, authorizeQuery(id, "resource="+toolsURL)+"&resource="+url.QueryEscape(baseURL)).target(t)
	require.Equal(t, "invalid_target", back.Query().Get("error"), "a token is for one resource")
	back = b.authorize(t, authorizeQuery(id, "state=a\r\nSet-Cookie: x=y")).target(t)
	require.Equal(t, "invalid_request", back.Query().Get("error"))
	require.False(t, back.Query().Has("state"), "what cannot be a state is not repeated")
	require.Zero(t, b.count(t, "oauth_request"))
}

// TestAuthorizationRedirectsToApplication checks that the browser is redirected to the application, and that the URL does not
// contain the request.
func TestAuthorizationRedirectsToApplication(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.publicClient(t)
	for _, change := range []string{
		"nonsense=1", "state=", "scope=", "resource=HTTPS://MCP.TEST.EXAMPLE/mcp", "resource=" + baseURL + "/",
		"prompt=none", "response_mode=query",
	} {
		got := b.authorize(t, authorizeQuery(id, change))
		to := got.target(t)
		require.Equal(t, appURL+"/consent", origin(to)+to.Path, change)
		require.Len(t, to.Query(), 1, change)
		_, err := credential.AuthorizationRequest.Hash(to.Query().Get("request"))
		require.NoError(t, err)
		require.Equal(t, "no-store", got.header.Get("Cache-Control"))
		require.Equal(t, "no-referrer", got.header.Get("Referrer-Policy"))
		for name := range got.header {
			require.False(t, strings.HasPrefix(name, "Access-Control-"), "scripts of other sites have no business there")
		}
	}
	require.Equal(t, http.StatusMethodNotAllowed, b.form(t, "/oauth/authorize", nil, "client_id", id).status)
}

// TestAuthorizationRequestsAreRateLimited checks that requests are charged before anything is read or stored for them.
func TestAuthorizationRequestsAreRateLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.publicClient(t)
	from := map[string]string{"X-Forwarded-For": "198.51.100.9"}
	b.authorizeFrom(t, id, from)
	b.exec(t,
		`UPDATE rate_bucket SET lacking = 600 * 60000000::bigint, at = clock_timestamp() + interval '1 hour' WHERE subject = 'public:198.51.100.9'`)
	other := b.twin(t) // has no leased tokens
	before := b.count(t, "oauth_request")
	require.Equal(t, http.StatusTooManyRequests, other.authorizeFrom(t, id, from).status)
	require.Equal(t, before, b.count(t, "oauth_request"), "nothing was stored")
	refused := other.form(t, "/oauth/token", from, "grant_type", "refresh_token", "client_id", id)
	require.Equal(t, http.StatusTooManyRequests, refused.status)
	require.NotEmpty(t, refused.header.Get("Retry-After"))
	require.Equal(t, "*", refused.header.Get("Access-Control-Allow-Origin"), "scripts may read why")
}

func (b *bundle) authorizeFrom(t testing.TB, client string, header map[string]string) response {
	t.Helper()
	return b.do(t, request{method: http.MethodGet, path: authorizeQuery(client), header: header})
}
