package httpapi_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/shared/domain/credential"
	roles "fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

const callback = "https://planner.example.net/cb"

func verifier() string { return strings.Repeat("verifier-", 6) }

// person creates a member of the workspace.
func (b *bundle) person(t testing.TB, workspace ident.Workspace) ident.User {
	t.Helper()
	u := user.User{
		ID: ident.New[ident.User](), Email: email.Address(ident.New[ident.User]().String() + "@example.com"), Name: "Ada",
		PasswordHash: "x", CreatedAt: b.clock.Now(),
	}
	users := postgres.NewUsers(b.db)
	_, err := users.Insert(t.Context(), u)
	require.NoError(t, err)
	require.NoError(t, users.Join(t.Context(), u.ID, workspace, roles.Owner, b.clock.Now()))
	return u.ID
}

// form sends parameters as pairs of name and value.
func (b *bundle) form(t testing.TB, path string, header map[string]string, pairs ...string) response {
	t.Helper()
	values := url.Values{}
	for i := range len(pairs) / 2 {
		values.Add(pairs[2*i], pairs[2*i+1])
	}
	return b.do(t, request{
		method: http.MethodPost, path: path, contentType: "application/x-www-form-urlencoded", header: header,
		body: values.Encode(),
	})
}

func (b *bundle) register(t testing.TB, description string) map[string]any {
	t.Helper()
	got := b.do(t, request{
		method: http.MethodPost, path: "/oauth/register", contentType: "application/json", body: description,
	})
	require.Equal(t, http.StatusCreated, got.status, got.body)
	return decoded(t, got)
}

func decoded(t testing.TB, a response) map[string]any {
	t.Helper()
	var members map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.body), &members), a.body)
	return members
}

// member returns a string property.
func member(t testing.TB, members map[string]any, name string) string {
	t.Helper()
	value, ok := members[name].(string)
	require.True(t, ok, "%s of %v", name, members)
	return value
}

func authorizeQuery(client string, changes ...string) string {
	sum := sha256.Sum256([]byte(verifier()))
	v := url.Values{
		"client_id": {client}, "redirect_uri": {callback}, "response_type": {"code"}, "state": {"s t"},
		"scope":          {"channels:read posts:write"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	for _, change := range changes {
		name, value, _ := strings.Cut(change, "=")
		v.Set(name, value)
	}
	return "/oauth/authorize?" + v.Encode()
}

// allowed runs the authorization flow and returns the code.
func (b *bundle) allowed(t testing.TB, client string, in ident.Workspace, changes ...string) string {
	t.Helper()
	got := b.do(t, request{method: http.MethodGet, path: authorizeQuery(client, changes...)})
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	location, err := url.Parse(got.header.Get("Location"))
	require.NoError(t, err)
	require.Equal(t, appURL, location.Scheme+"://"+location.Host)
	back, err := b.authorizations(t).Allow(t.Context(), location.Query().Get("request"), authserver.Decision{
		UserID: b.person(t, in), WorkspaceID: in, Scopes: []credential.Scope{credential.ChannelsRead, credential.PostsWrite},
	})
	require.NoError(t, err)
	return back.Query().Get("code")
}

func (b *bundle) redeemed(t testing.TB, client, code string) response {
	t.Helper()
	return b.form(t, "/oauth/token", nil, "grant_type", "authorization_code", "client_id", client, "code", code,
		"redirect_uri", callback, "code_verifier", verifier())
}

func bearer(token string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + token}
}

// TestOAuthClientFlow covers the whole flow of an OAuth client: from the metadata to API calls on behalf of a user
// and to revocation.
func TestOAuthClientFlow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	metadata := decoded(t, b.do(t, request{method: http.MethodGet, path: "/.well-known/oauth-authorization-server"}))
	require.Equal(t, baseURL, metadata["issuer"])
	for _, name := range []string{
		"authorization_endpoint", "token_endpoint", "revocation_endpoint", "introspection_endpoint",
		"registration_endpoint", "device_authorization_endpoint",
	} {
		path := strings.TrimPrefix(member(t, metadata, name), baseURL)
		got := b.do(t, request{method: http.MethodPost, path: path})
		require.NotEqual(t, http.StatusNotFound, got.status, name)
	}
	client := b.register(t, `{"client_name":"Planner","redirect_uris":["`+callback+
		`"],"token_endpoint_auth_method":"none"}`)
	id := member(t, client, "client_id")
	require.NotContains(t, client, "client_secret")
	got := b.redeemed(t, id, b.allowed(t, id, b.ours.id))
	require.Equal(t, http.StatusOK, got.status, got.body)
	require.Equal(t, "no-store", got.header.Get("Cache-Control"))
	tokens := decoded(t, got)
	require.Equal(t, "Bearer", tokens["token_type"])
	require.InDelta(t, 3600, tokens["expires_in"], 0)
	require.Equal(t, "channels:read posts:write", tokens["scope"])
	access, refresh := member(t, tokens, "access_token"), member(t, tokens, "refresh_token")
	require.True(t, strings.HasPrefix(access, "svc_oat_"))

	got = b.do(t, request{method: http.MethodGet, path: "/v1/workspace", header: bearer(access)})
	require.Equal(t, http.StatusOK, got.status, got.body)
	require.Equal(t, b.ours.id.String(), decoded(t, got)["id"])
	require.Equal(t, []any{"channels:read", "posts:write"}, decoded(t, got)["grantedScopes"])
	require.Equal(t, http.StatusOK, b.do(t, request{
		method: http.MethodGet, path: "/v1/channels", header: bearer(access),
	}).status)
	got = b.do(t, request{method: http.MethodGet, path: "/v1/webhooks", header: bearer(access)})
	require.Equal(t, http.StatusForbidden, got.status)
	require.Contains(t, got.header.Get("WWW-Authenticate"), `scope="webhooks:manage"`)
	require.Equal(t, http.StatusUnauthorized, b.do(t,
		request{method: http.MethodGet, path: "/v1/workspace?access_token=" + access}).status)
	require.Equal(t, http.StatusUnauthorized, b.do(t,
		request{method: http.MethodGet, path: "/v1/workspace", header: bearer(refresh)}).status)

	got = b.form(t, "/oauth/token", nil, "grant_type", "refresh_token", "client_id", id, "refresh_token", refresh)
	require.Equal(t, http.StatusOK, got.status, got.body)
	next := member(t, decoded(t, got), "access_token")
	require.Equal(t, http.StatusOK, b.do(t, request{
		method: http.MethodGet, path: "/v1/workspace", header: bearer(next),
	}).status)
	got = b.form(t, "/oauth/token", nil, "grant_type", "refresh_token", "client_id", id, "refresh_token", refresh)
	require.Equal(t, http.StatusBadRequest, got.status, "its successor is in use: another client has the old one")
	require.Equal(t, "invalid_grant", decoded(t, got)["error"])
	require.Eventually(t, func() bool {
		return b.do(t, request{
			method: http.MethodGet, path: "/v1/workspace", header: bearer(next),
		}).status == http.StatusUnauthorized
	}, 4*time.Second, 50*time.Millisecond)

	got = b.redeemed(t, id, b.allowed(t, id, b.ours.id))
	access = member(t, decoded(t, got), "access_token")
	require.Equal(t, http.StatusOK, b.do(t, request{
		method: http.MethodGet, path: "/v1/workspace", header: bearer(access),
	}).status)
	require.Equal(t, http.StatusOK, b.form(t, "/oauth/revoke", nil, "client_id", id, "token", access).status)
	require.Eventually(t, func() bool {
		return b.do(t, request{
			method: http.MethodGet, path: "/v1/workspace", header: bearer(access),
		}).status == http.StatusUnauthorized
	}, 4*time.Second, 50*time.Millisecond, "the cache of keys lives for a second")
}

// TestContributorClientCannotChangeApprovedPost checks that a program cannot change an approved post for a person who may not publish.
func TestContributorClientCannotChangeApprovedPost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := member(t, b.register(t, `{"redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`), "client_id")
	access := member(t, decoded(t, b.redeemed(t, id, b.allowed(t, id, b.ours.id))), "access_token")
	b.exec(t, `UPDATE workspace_member SET role = 'CONTRIBUTOR' WHERE workspace_id = $1`, b.ours.id.String())
	scheduled, draft := b.scheduled(t), b.draft(t, b.ours)
	got := b.patchAs(t, access, scheduled, `{"content":"Another text"}`)
	require.Equal(t, http.StatusForbidden, got.status, got.body)
	require.Contains(t, got.body, "that person's role does not allow to change a SCHEDULED post")
	require.True(t, strings.HasSuffix(got.header.Get("WWW-Authenticate"), `error="insufficient_scope"`), "no scope helps")
	require.Equal(t, http.StatusOK, b.patchAs(t, access, draft, `{"content":"Another text"}`).status)
	require.Equal(t, http.StatusOK, b.patch(t, scheduled, `{"content":"Another text"}`).status, "a key of the workspace may")
}

// TestTokensOfToolServerAreRefused covers audiences (RFC 8707).
func TestTokensOfToolServerAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := member(t, b.register(t, `{"redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`), "client_id")
	tokens := decoded(t, b.redeemed(t, id, b.allowed(t, id, b.ours.id, "resource="+toolsURL)))
	got := b.do(t, request{
		method: http.MethodGet, path: "/v1/workspace", header: bearer(member(t, tokens, "access_token")),
	})
	require.Equal(t, http.StatusUnauthorized, got.status)
	require.Contains(t, got.header.Get("WWW-Authenticate"), `error="invalid_token"`)
}

// TestErrorPagesWithoutRedirect covers error pages without a redirect (RFC 6749, section 4.1.2.1).
func TestErrorPagesWithoutRedirect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := member(t, b.register(t, `{"redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`), "client_id")
	for _, path := range []string{
		authorizeQuery("unknown"), authorizeQuery(id, "redirect_uri=https://evil.test/"),
		authorizeQuery(id, "redirect_uri="+callback+"/"), "/oauth/authorize",
		authorizeQuery(id) + "&client_id=x", "/oauth/authorize?client_id=%zz",
		authorizeQuery("https://127.0.0.1/client.json"), authorizeQuery(`"><script>alert(1)</script>`),
	} {
		got := b.do(t, request{method: http.MethodGet, path: path})
		require.Equal(t, http.StatusBadRequest, got.status, path)
		require.Empty(t, got.header.Get("Location"), path)
		require.Contains(t, got.header.Get("Content-Type"), "text/html")
		require.Contains(t, got.header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
		require.NotContains(t, got.body, "<script", path)
		require.Empty(t, got.header.Get("Access-Control-Allow-Origin"))
	}
	for _, change := range []string{
		"response_type=token", "scope=admin", "code_challenge=", "code_challenge_method=plain",
		"state=a\r\nSet-Cookie: x=y",
	} {
		got := b.do(t, request{method: http.MethodGet, path: authorizeQuery(id, change)})
		require.Equal(t, http.StatusSeeOther, got.status, change)
		location, err := url.Parse(got.header.Get("Location"))
		require.NoError(t, err)
		require.Equal(t, "planner.example.net", location.Host)
		require.NotEmpty(t, location.Query().Get("error"))
		require.Equal(t, baseURL, location.Query().Get("iss"))
		require.Empty(t, got.header.Get("Set-Cookie"))
	}
}

// TestErrorsOfTokenEndpoint covers RFC 6749, section 5.2.
func TestErrorsOfTokenEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := member(t, b.register(t, `{"redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`), "client_id")
	confidential := b.register(t, `{"redirect_uris":["`+callback+`"]}`)
	secret := member(t, confidential, "client_secret")
	require.InDelta(t, 0, confidential["client_secret_expires_at"], 0)
	basic := func(id, secret string) map[string]string {
		return map[string]string{
			"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(id)+":"+
				url.QueryEscape(secret))),
		}
	}
	for name, tc := range map[string]struct {
		header map[string]string
		pairs  []string
		status int
		want   string
	}{
		"no client":     {nil, []string{"grant_type", "authorization_code"}, http.StatusUnauthorized, "invalid_client"},
		"no grant type": {nil, []string{"client_id", id}, http.StatusBadRequest, "invalid_request"},
		"password": {
			nil, []string{"client_id", id, "grant_type", "password"}, http.StatusBadRequest, "unsupported_grant_type",
		},
		"twice": {
			nil,
			[]string{"client_id", id, "grant_type", "refresh_token", "grant_type", "refresh_token"},
			http.StatusBadRequest, "invalid_request",
		},
		"unknown code": {
			nil,
			[]string{"client_id", id, "grant_type", "authorization_code", "code", "x"},
			http.StatusBadRequest,
			"invalid_grant",
		},
		"unknown client": {
			nil, []string{"client_id", "x", "grant_type", "authorization_code"}, http.StatusUnauthorized, "invalid_client",
		},
		"wrong secret": {
			basic(member(t, confidential, "client_id"), "x"),
			[]string{"grant_type", "refresh_token"},
			http.StatusUnauthorized,
			"invalid_client",
		},
		"right secret": {
			basic(member(t, confidential, "client_id"), secret),
			[]string{"grant_type", "refresh_token", "refresh_token", "x"},
			http.StatusBadRequest, "invalid_grant",
		},
		"bearer": {
			bearer("x"), []string{"grant_type", "refresh_token"}, http.StatusUnauthorized, "invalid_client",
		},
		"no basic": {
			map[string]string{"Authorization": "Basic !"},
			[]string{"grant_type", "refresh_token"},
			http.StatusUnauthorized,
			"invalid_client",
		},
		"two proofs": {
			basic(member(t, confidential, "client_id"), secret),
			[]string{"grant_type", "refresh_token", "client_secret", secret},
			http.StatusBadRequest, "invalid_request",
		},
		"introspect public": {nil, []string{"client_id", id, "token", "x"}, http.StatusUnauthorized, "invalid_client"},
	} {
		path := "/oauth/token"
		if strings.HasPrefix(name, "introspect") {
			path = "/oauth/introspect"
		}
		got := b.form(t, path, tc.header, tc.pairs...)
		require.Equal(t, tc.status, got.status, name)
		require.Equal(t, tc.want, decoded(t, got)["error"], name)
		require.Equal(t, "no-store", got.header.Get("Cache-Control"))
		require.Equal(t, tc.status == http.StatusUnauthorized, got.header.Get("WWW-Authenticate") != "", name)
	}
	got := b.form(t, "/oauth/introspect", basic(member(t, confidential, "client_id"), secret), "token", b.ours.key)
	require.JSONEq(t, `{"active":false}`, got.body)
	for _, path := range []string{"/oauth/token", "/oauth/revoke", "/oauth/introspect", "/oauth/register", "/oauth/device_authorization"} {
		require.Equal(t, http.StatusMethodNotAllowed, b.do(t, request{method: http.MethodGet, path: path}).status, path)
		got := b.do(t, request{method: http.MethodPost, path: path, body: "x", contentType: "text/plain"})
		require.Equal(t, http.StatusBadRequest, got.status, path)
	}
	require.Equal(t, http.StatusNotFound, b.do(t,
		request{method: http.MethodGet, path: "/.well-known/openid-configuration"}).status)
}

// TestCORSOfOAuthEndpoints checks CORS on the endpoints, which use no cookies, and its absence on the
// authorization page.
func TestCORSOfOAuthEndpoints(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for path, method := range map[string]string{
		oauth.PathMetadata: http.MethodGet, oauth.PathToken: http.MethodPost, oauth.PathRevoke: http.MethodPost,
		oauth.PathRegister: http.MethodPost,
	} {
		got := b.do(t, request{
			method: http.MethodOptions, path: path,
			header: map[string]string{"Origin": "https://inspector.test", "Access-Control-Request-Method": method},
		})
		require.Equal(t, http.StatusNoContent, got.status, path)
		require.Equal(t, "*", got.header.Get("Access-Control-Allow-Origin"))
		require.Equal(t, method, got.header.Get("Access-Control-Allow-Methods"))
		require.Contains(t, got.header.Get("Access-Control-Allow-Headers"), "MCP-Protocol-Version")
		require.Empty(t, got.header.Get("Access-Control-Allow-Credentials"))
	}
	require.Equal(t, http.StatusMethodNotAllowed,
		b.do(t, request{method: http.MethodOptions, path: oauth.PathAuthorize}).status)
}

// TestRegistrationIsRateLimited covers the rate limit (RFC 7591, section 5).
func TestRegistrationIsRateLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	send := func(body string) response {
		return b.do(t, request{
			method: http.MethodPost, path: "/oauth/register", contentType: "application/json",
			header: map[string]string{"X-Forwarded-For": "203.0.113.7"}, body: body,
		})
	}
	require.Equal(t, http.StatusRequestEntityTooLarge, send(`{"client_name":"`+strings.Repeat("x", 70_000)+`"}`).status)
	got := send(`{"redirect_uris":["javascript:alert(1)"]}`)
	require.Equal(t, http.StatusBadRequest, got.status)
	require.Equal(t, "invalid_redirect_uri", decoded(t, got)["error"])
	for range 60 {
		if got = send(`{"redirect_uris":["` + callback + `"]}`); got.status != http.StatusCreated {
			break
		}
	}
	require.Equal(t, http.StatusTooManyRequests, got.status)
	require.NotEmpty(t, got.header.Get("Retry-After"))
}
