package httpapi_test

import (
	"encoding/hex"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
)

// TestIntrospection covers RFC 7662: for an inactive token, or one of another client, the response is exactly
// {"active":false}.
func TestIntrospection(t *testing.T) {
	t.Parallel()
	b, clk := at(t, sunday())
	ours, theirs := b.confidential(t), b.confidential(t)
	access, refresh := pairOf(t, b.redeem(t, ours.id, b.allowed(t, ours.id, b.ours.id, "resource="+toolsURL),
		"client_secret="+ours.secret))
	clk.Advance(10 * time.Minute)
	next, _ := pairOf(t, b.refresh(t, ours.id, refresh, "client_secret="+ours.secret))
	about := func(c secretClient, token string) response {
		return b.posts(t, "/oauth/introspect", url.Values{"client_id": {c.id}, "client_secret": {c.secret}, "token": {token}})
	}
	got := about(ours, next)
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, "no-store", got.header.Get("Cache-Control"))
	reported := decoded(t, got)
	require.Equal(t, b.column(t, `SELECT user_id::text FROM oauth_grant`)[0], reported["sub"])
	delete(reported, "sub")
	issued := sunday().Add(10 * time.Minute).Unix()
	require.Equal(t, map[string]any{
		"active": true, "scope": "channels:read posts:write", "client_id": ours.id, "token_type": "Bearer",
		"iat": float64(issued), "exp": float64(issued + 3600),
		"aud": toolsURL, "iss": baseURL, "workspace_id": b.ours.id.String(),
	}, reported)
	inactive := map[string]response{
		"another client's": about(theirs, next), "a refresh token": about(ours, refresh),
		"an API key": about(ours, b.ours.key), "nonsense": about(ours, "x"),
		"unknown": about(ours, credential.AccessToken.New()),
	}
	clk.Advance(50 * time.Minute)
	inactive["expired"] = about(ours, access)
	require.Equal(t, http.StatusOK, b.posts(t, "/oauth/revoke",
		url.Values{"client_id": {ours.id}, "client_secret": {ours.secret}, "token": {next}}).status)
	inactive["revoked"] = about(ours, next)
	for name, got := range inactive {
		require.Equal(t, http.StatusOK, got.status, name)
		require.Equal(t, `{"active":false}`, got.body, name)
	}
	for name, c := range map[string]secretClient{
		"unknown": {}, "no secret": {id: ours.id}, "a wrong secret": {ours.id, credential.ClientSecret.New()},
		"another's secret": {ours.id, theirs.secret},
		"a public client":  {id: b.publicClient(t)},
	} {
		got := about(c, next)
		require.Equal(t, http.StatusUnauthorized, got.status, name)
		require.Equal(t, "invalid_client", decoded(t, got)["error"], name)
		require.NotEmpty(t, got.header.Get("WWW-Authenticate"), name)
	}
}

type secretClient struct{ id, secret string }

// confidential registers a client that authenticates with a secret in the form.
func (b *bundle) confidential(t testing.TB) secretClient {
	t.Helper()
	created := b.register(t, `{"redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"client_secret_post"}`)
	return secretClient{member(t, created, "client_id"), member(t, created, "client_secret")}
}

// TestBearerChallenges covers RFC 6750, section 3.
func TestBearerChallenges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	access, _ := b.pair(t, b.publicClient(t))
	const realm = `Bearer realm="Fencepost API"`
	for name, tc := range map[string]struct{ lines, want string }{
		"none":              {"", realm},
		"empty":             {"Authorization: Bearer\r\n", realm},
		"empty with spaces": {"Authorization: Bearer  \r\n", realm},
		"another scheme":    {"Authorization: Basic dXNlcjpwYXNz\r\n", realm},
		"unknown": {
			"Authorization: Bearer " + credential.AccessToken.New() + "\r\n", realm + `, error="invalid_token"`,
		},
		"two tokens": {"Authorization: Bearer " + access + " " + access + "\r\n", realm + `, error="invalid_token"`},
		"two headers": {
			"Authorization: Bearer " + access + "\r\nAuthorization: Bearer " + access + "\r\n",
			realm + `, error="invalid_token"`,
		},
		"two schemes": {
			"Authorization: Bearer " + access + "\r\nAuthorization: Basic eDp5\r\n", realm + `, error="invalid_token"`,
		},
	} {
		got := b.raw(t, "GET /v1/workspace HTTP/1.1\r\nHost: x\r\n"+tc.lines+"\r\n")
		requireProblem(t, got, http.StatusUnauthorized, "UNAUTHENTICATED")
		require.Equal(t, []string{tc.want}, got.header.Values("WWW-Authenticate"), name)
	}
	for _, scheme := range []string{"Bearer", "bearer", "BEARER"} {
		require.Equal(t, http.StatusOK, b.do(t, request{
			method: http.MethodGet, path: "/v1/workspace", header: map[string]string{"Authorization": scheme + " " + access},
		}).status)
	}
	for _, folded := range []string{access[:20] + "\r" + access[20:], access[:20] + "\n" + access[20:], access + "\x00"} {
		got := b.raw(t, "GET /v1/workspace HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+folded+"\r\n\r\n")
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnauthorized}, got.status, "%q", folded)
	}
	got := b.do(t, request{method: http.MethodGet, path: "/v1/webhooks", header: bearer(access)})
	requireProblem(t, got, http.StatusForbidden, "INSUFFICIENT_SCOPE")
	require.Equal(t, realm+`, error="insufficient_scope", scope="webhooks:manage"`, got.header.Get("WWW-Authenticate"))
	hash, err := credential.AccessToken.Hash(access)
	require.NoError(t, err)
	require.False(t, b.serves(t, hex.EncodeToString(hash[:])), "what is stored opens nothing")
}
