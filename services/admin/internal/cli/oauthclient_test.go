package cli_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

const clientCallback = "https://planner.example.com/callback"

// proves reports whether the secret is the client's.
func (b *bundle) proves(t *testing.T, id, secret string) bool {
	t.Helper()
	c, _, err := postgres.NewClients(b.db).Get(t.Context(), id)
	require.NoError(t, err)
	return c.Proven(secret)
}

func TestOAuthClients(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Contains(t, b.ok(t, "oauth-client", "list"), "Create one with: admin oauth-client add")
	created := b.one(t, "oauth-client", "add", "--name", "Acme Planner", "--redirect-uri", clientCallback, "--redirect-uri",
		"http://127.0.0.1/cb", "--scopes", "posts:write,channels:read")
	id, secret := text(t, created, "clientId"), text(t, created, "clientSecret")
	require.Equal(t, record{
		"clientId": id, "clientSecret": secret, "name": "Acme Planner", "kind": "FIRST_PARTY", "type": "confidential",
		"authMethod":   "client_secret_basic",
		"redirectUris": []any{clientCallback, "http://127.0.0.1/cb"}, "scopes": []any{"channels:read", "posts:write"},
		"createdAt": "2026-03-01T09:00:00.000Z", "expiresAt": nil,
	}, created)
	require.Regexp(t, `^svc_cli_[0-9A-Za-z]{24}$`, id)
	require.Regexp(t, `^svc_ocs_`, secret)
	require.True(t, b.proves(t, id, secret))
	for _, row := range postgrestest.Column(t, b.url, `SELECT c::text FROM oauth_client c`) {
		require.NotContains(t, row, secret)
	}

	b.clock.Advance(time.Second)
	public := b.one(t, "oauth-client", "add", "--name", "CLI", "--type", "public", "--redirect-uri", "http://localhost/cb")
	require.NotContains(t, public, "clientSecret")
	require.Equal(t, "none", public["authMethod"])
	require.Len(t, public["scopes"], len(credential.Scopes()))
	posting := b.one(t, "oauth-client", "add", "--name", "Poster", "--auth-method", "client_secret_post", "--redirect-uri",
		clientCallback)
	require.Equal(t, "client_secret_post", posting["authMethod"])

	listed := b.many(t, "oauth-client", "list")
	require.Len(t, listed, 3)
	require.NotContains(t, b.ok(t, "oauth-client", "list", "--json"), "svc_ocs_")
	require.Regexp(t, id+` +Acme Planner +confidential +planner.example.com, 127.0.0.1 +2026-03-01T09:00:00Z\n`,
		b.ok(t, "oauth-client", "list"))
	shown := b.one(t, "oauth-client", "show", id)
	require.InDelta(t, 0, shown["grants"], 0)
	require.NotContains(t, shown, "clientSecret")
	require.Regexp(t, `Redirect URI +http://127.0.0.1/cb\n`, b.ok(t, "oauth-client", "show", id))

	next := text(t, b.one(t, "oauth-client", "rotate-secret", id), "clientSecret")
	require.False(t, b.proves(t, id, secret), "the previous secret is rejected")
	require.True(t, b.proves(t, id, next))
	require.Regexp(t, `not shown again:\n\n    svc_ocs_[0-9A-Za-z]+\n`, b.ok(t, "oauth-client", "rotate-secret", id))
}

// allowed gives a client a grant with tokens.
func (b *bundle) allowed(t *testing.T, client string) {
	t.Helper()
	workspace, err := ident.Parse[ident.Workspace](b.workspace(t))
	require.NoError(t, err)
	u, err := user.New("mara@example.com", "Mara", "x", b.clock.Now())
	require.NoError(t, err)
	users := postgres.NewUsers(b.db)
	_, err = users.Insert(t.Context(), u)
	require.NoError(t, err)
	require.NoError(t, users.Join(t.Context(), u.ID, workspace, member.Owner, b.clock.Now()))
	g := oauth.Grant{
		ID: ident.New[ident.Grant](), ClientID: client, UserID: u.ID, WorkspaceID: workspace,
		Scopes: credential.DefaultScopes(), Resource: "https://api.example.com",
		CreatedAt: b.clock.Now(),
	}
	grants := postgres.NewGrants(b.db, b.ring(t))
	require.NoError(t, grants.Insert(t.Context(), [32]byte{1},
		oauth.Code{Grant: g, RedirectURI: clientCallback, Challenge: "x", ExpiresAt: b.clock.Now()}))
	require.NoError(t, grants.InsertPair(t.Context(), postgres.Pair{
		Grant: g, Access: [32]byte{2}, Scopes: g.Scopes, AccessExpires: b.clock.Now().Add(time.Hour), Refresh: [32]byte{3},
		RefreshExpires: b.clock.Now().Add(time.Hour),
	}))
}

func TestOAuthClientRemoveRevokesAccess(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := text(t, b.one(t, "oauth-client", "add", "--name", "Acme Planner", "--redirect-uri", clientCallback), "clientId")
	b.allowed(t, id)
	require.InDelta(t, 1, b.one(t, "oauth-client", "show", id)["grants"], 0)
	require.Equal(t, "OAuth client "+id+" (Acme Planner) is deleted. Grants revoked: 1.\n",
		b.ok(t, "oauth-client", "remove", id))
	for _, table := range []string{
		"oauth_client", "oauth_grant", "oauth_code", "oauth_access_token", "oauth_refresh_token",
	} {
		require.Empty(t, postgrestest.Column(t, b.url, `SELECT 1 FROM `+table), table)
	}
	for _, command := range []string{"show", "rotate-secret", "remove"} {
		failed(t, b.run(t, "oauth-client", command, id), `There is no OAuth client "`+id+`"`, "See: admin oauth-client list")
		failed(t, b.run(t, "oauth-client", command, "\x00"), "There is no OAuth client")
		refused(t, b.run(t, "oauth-client", command), "want one CLIENT_ID, got 0 arguments")
	}
}

// TestSelfRegisteredOAuthClients checks that such clients can be shown and removed, but that their secrets
// cannot be rotated.
func TestSelfRegisteredOAuthClients(t *testing.T) {
	t.Parallel()
	b := setup(t)
	public := text(t, b.one(t, "oauth-client", "add", "--name", "CLI", "--type", "public", "--redirect-uri",
		"http://localhost/cb"), "clientId")
	failed(t, b.run(t, "oauth-client", "rotate-secret", public), "is public and has no secret")
	const published = "https://agent.example.com/client.json"
	require.NoError(t, postgres.NewClients(b.db).Refresh(t.Context(), oauth.Client{
		ID: published, Kind: oauth.Published, RedirectURIs: []string{clientCallback}, AuthMethod: oauth.AuthNone,
		CreatedAt: b.clock.Now(),
	}, b.clock.Now()))
	require.Len(t, b.many(t, "oauth-client", "list"), 1)
	require.Equal(t, "PUBLISHED", b.one(t, "oauth-client", "show", published)["kind"])
	failed(t, b.run(t, "oauth-client", "rotate-secret", published), "was not created by an operator")
	require.Contains(t, b.ok(t, "oauth-client", "remove", published), "(agent.example.com) is deleted")
}

func TestOAuthClientAddRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, test := range map[string]struct {
		args  []string
		parts []string
	}{
		"nothing given": {nil, []string{"2 problems", "--name is required", "--redirect-uri is required"}},
		"redirects": {
			[]string{
				"--name", "X", "--redirect-uri", "http://app.example.com/cb", "--redirect-uri", clientCallback, "--redirect-uri",
				"cursor://cb",
			},
			[]string{"2 problems", `--redirect-uri "http://app.example.com/cb" is not allowed`, `"cursor://cb"`, "give https"},
		},
		"a type": {
			[]string{"--name", "X", "--redirect-uri", clientCallback, "--type", "secret"},
			[]string{`--type "secret" is not a type; choose confidential or public`},
		},
		"a method": {
			[]string{"--name", "X", "--redirect-uri", clientCallback, "--auth-method", "tls"},
			[]string{`--auth-method "tls" is not supported`, "client_secret_basic or client_secret_post"},
		},
		"a public's method": {
			[]string{"--name", "X", "--redirect-uri", clientCallback, "--type", "public", "--auth-method", "client_secret_post"},
			[]string{"--auth-method is valid only for confidential clients"},
		},
		"a scope": {
			[]string{"--name", "X", "--redirect-uri", clientCallback, "--scopes", "admin"},
			[]string{`--scopes "admin" is not a scope`},
		},
		"a long name": {
			[]string{"--name", strings.Repeat("x", 81), "--redirect-uri", clientCallback},
			[]string{"--name has 81 characters; at most 80 are allowed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, b.run(t, append([]string{"oauth-client", "add"}, test.args...)...), test.parts...)
		})
	}
	require.Empty(t, postgrestest.Column(t, b.url, `SELECT 1 FROM oauth_client`))
}
