package web_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/services/mcp/internal/web"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

const callback = "https://planner.example.net/cb"

// issued holds the tokens of a client for a resource.
type issued struct {
	authserver.Tokens

	client string
}

// token runs an authorization flow in which the user allows all requested scopes.
func (b *bundle) token(t testing.TB, resource string, scopes ...credential.Scope) issued {
	t.Helper()
	server := b.authorizations(t)
	program, err := server.Register(t.Context(),
		[]byte(`{"client_name":"Planner","redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`))
	require.NoError(t, err)
	verifier := strings.Repeat("verifier-", 6)
	sum := sha256.Sum256([]byte(verifier))
	started, err := server.Authorize(t.Context(), url.Values{
		"client_id": {program.Client.ID}, "redirect_uri": {callback}, "response_type": {"code"},
		"scope": {joinedScopes(scopes)}, "resource": {resource},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "state": {"x"},
	})
	require.NoError(t, err)
	back, err := server.Allow(t.Context(), started.Handle,
		authserver.Decision{UserID: b.person(t), WorkspaceID: b.ours.id, Scopes: scopes})
	require.NoError(t, err)
	tokens, err := server.Token(t.Context(), url.Values{
		"grant_type": {"authorization_code"}, "client_id": {program.Client.ID}, "code": {back.Query().Get("code")},
		"redirect_uri": {callback}, "code_verifier": {verifier},
	}, nil)
	require.NoError(t, err)
	return issued{Tokens: tokens, client: program.Client.ID}
}

func joinedScopes(scopes []credential.Scope) string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return strings.Join(names, " ")
}

// person creates a member of our workspace.
func (b *bundle) person(t testing.TB) ident.User {
	t.Helper()
	u := user.User{
		ID: ident.New[ident.User](), Email: email.Address(ident.New[ident.User]().String() + "@example.com"), Name: "Ada",
		PasswordHash: "x", CreatedAt: time.Now(),
	}
	users := postgres.NewUsers(b.db)
	_, err := users.Insert(t.Context(), u)
	require.NoError(t, err)
	require.NoError(t, users.Join(t.Context(), u.ID, b.ours.id, member.Owner, time.Now()))
	return u.ID
}

// limitedTo returns an option that limits the requests per minute.
func (b *bundle) limitedTo(t testing.TB, perMinute int) func(*web.Config) {
	t.Helper()
	gate := b.gate(t, perMinute)
	return func(c *web.Config) { c.Gate = gate }
}

func TestTokensWorkUntilRevokedOrExpired(t *testing.T) {
	t.Parallel()
	b := setup(t)
	given := b.token(t, toolsURL, credential.PostsWrite, credential.AnalyticsRead)
	created := b.call(t, given.Access, "create_post", object{"channelIds": []any{b.ours.channel}, "content": "x"})
	require.Equal(t, "DRAFT", textAt(t, created, "posts", 0, "status"))
	b.call(t, given.Access, "get_analytics", object{})
	refused := b.do(t, callOf(t, newest, given.Access, "list_link_pages", object{}))
	requireProblem(t, refused, http.StatusForbidden, "INSUFFICIENT_SCOPE")
	require.Equal(t, 1, b.count(t, `post_timeline WHERE actor LIKE 'program Planner%'`))

	require.NoError(t, b.authorizations(t).Revoke(t.Context(),
		url.Values{"client_id": {given.client}, "token": {given.Refresh}}, nil))
	require.Eventually(t, func() bool {
		return b.do(t, callOf(t, newest, given.Access, "list_posts", object{})).status == http.StatusUnauthorized
	}, 4*time.Second, 20*time.Millisecond, "the cache of keys lives for a second")
	b.requireUnauthenticated(t, b.do(t, callOf(t, newest, given.Access, "list_posts", object{})), true)

	late := b.token(t, toolsURL, credential.PostsWrite)
	b.exec(t, `UPDATE oauth_access_token SET expires_at = now() - interval '1 second'`)
	b.requireUnauthenticated(t, b.twin(t).do(t, callOf(t, newest, late.Access, "list_posts", object{})), true)
}
