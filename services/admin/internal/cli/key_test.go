package cli_test

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

func TestKeyCreate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	created := b.one(t, "key", "create", "--workspace", workspace, "--name", "Website", "--expires", "90d")
	secret := text(t, created, "apiKey")
	require.Equal(t, record{
		"id": created["id"], "workspaceId": workspace, "name": "Website", "display": secret[:13], "apiKey": secret,
		"status": "ACTIVE",
		"scopes": []any{
			"channels:read", "media:write", "posts:write", "posts:publish", "webhooks:manage", "analytics:read",
		},
		"expiresAt": "2026-05-30T09:00:00.000Z", "revokedAt": nil, "lastUsedAt": nil, "createdAt": "2026-03-01T09:00:00.000Z",
	}, created)
	stored, _, _, err := postgres.NewKeys(b.db).ByHash(t.Context(), sha256.Sum256([]byte(secret)))
	require.NoError(t, err)
	require.Equal(t, workspace, stored.WorkspaceID.String())
	require.True(t, stored.Valid(b.clock.Now()))
}

func TestKeyCreateWarnsThatKeyIsShownOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	out := b.ok(t, "key", "create", "--workspace", b.workspace(t), "--name", "Website", "--scopes", "links:read")
	require.Contains(t, out, "cannot be shown again")
	require.Regexp(t, `\n    svc_live_[0-9A-Za-z]{38}\n`, out)
	require.Regexp(t, `Scopes +links:read\n`, out)
	require.Regexp(t, `Expires +never\n`, out)
}

func TestKeyScopesAndExpiry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	for name, test := range map[string]struct {
		args    []string
		scopes  []credential.Scope
		expires any
	}{
		"every scope": {[]string{"--scopes", "all"}, credential.Scopes(), nil},
		"default and more": {
			[]string{"--scopes", "default, links:read"}, append(credential.DefaultScopes(), credential.LinksRead), nil,
		},
		"in any order": {
			[]string{"--scopes", "posts:write,channels:read,posts:write"},
			[]credential.Scope{credential.ChannelsRead, credential.PostsWrite},
			nil,
		},
		"never": {[]string{"--scopes", "default", "--expires", "never"}, credential.DefaultScopes(), nil},
		"a time": {
			[]string{"--scopes", "default", "--expires", "2026-03-02T01:00:00+02:00"},
			credential.DefaultScopes(),
			"2026-03-01T23:00:00.000Z",
		},
		"a day": {
			[]string{"--scopes", "default", "--expires", "1d"}, credential.DefaultScopes(), "2026-03-02T09:00:00.000Z",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			created := b.one(t, append([]string{"key", "create", "--workspace", workspace, "--name", "K"}, test.args...)...)
			want := make([]any, len(test.scopes))
			for i, s := range test.scopes {
				want[i] = string(s)
			}
			require.Equal(t, want, created["scopes"])
			require.Equal(t, test.expires, created["expiresAt"])
		})
	}
}

func TestKeyCreateRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	for name, test := range map[string]struct {
		args  []string
		parts []string
	}{
		"nothing given": {
			nil, []string{"2 problems", "--workspace is required; see: admin workspace list", "--name is required"},
		},
		"no id": {[]string{"--workspace", "acme", "--name", "K"}, []string{`--workspace "acme" is not an id`}},
		"unknown scope": {
			[]string{"--workspace", workspace, "--name", "K", "--scopes", "posts:write,posts:fly"},
			[]string{`--scopes "posts:fly" is not a scope`, "channels:read", "or write all or default"},
		},
		"no scope": {
			[]string{"--workspace", workspace, "--name", "K", "--scopes", "posts:write,"},
			[]string{`--scopes "" is not a scope`},
		},
		"past": {
			[]string{"--workspace", workspace, "--name", "K", "--expires", "2026-03-01T09:00:00Z"},
			[]string{"--expires 2026-03-01T09:00:00Z is in the past"},
		},
		"no offset": {
			[]string{"--workspace", workspace, "--name", "K", "--expires", "2026-04-01T09:00:00"},
			[]string{"--expires", "RFC 3339"},
		},
		"no days": {
			[]string{"--workspace", workspace, "--name", "K", "--expires", "0d"}, []string{"--expires", "from 1d to 3650d"},
		},
		"too many days": {
			[]string{"--workspace", workspace, "--name", "K", "--expires", "99999d"}, []string{"--expires", "write never"},
		},
		"another duration": {
			[]string{"--workspace", workspace, "--name", "K", "--expires", "2h"},
			[]string{`--expires "2h" is neither days (90d)`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, b.run(t, append([]string{"key", "create"}, test.args...)...), test.parts...)
		})
	}
}

func TestKeyRequiresWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const missing = "01985f2e-0000-7000-8000-000000000001"
	for _, args := range [][]string{
		{"key", "create", "--workspace", missing, "--name", "K"},
		{"key", "list", "--workspace", missing},
		{"key", "revoke", "--workspace", missing, missing},
		{"channel", "list", "--workspace", missing},
		{"channel", "disconnect", "--workspace", missing, missing},
		{"channel", "connect", "--workspace", missing, missing},
	} {
		failed(t, b.run(t, args...), "There is no workspace "+missing+". See: admin workspace list")
	}
}

func TestKeyListNeverShowsSecrets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	require.Equal(t, "[]\n", b.ok(t, "key", "list", "--workspace", workspace, "--json"))
	require.Contains(t, b.ok(t, "key", "list", "--workspace", workspace), "Create one with: admin key create")
	secret := text(t, b.one(t, "key", "create", "--workspace", workspace, "--name", "First", "--expires", "1d"), "apiKey")
	b.ok(t, "key", "create", "--workspace", workspace, "--name", "Second")
	b.ok(t, "key", "create", "--workspace", b.workspace(t), "--name", "Another workspace's")
	b.clock.Advance(48 * time.Hour)

	table, list := b.ok(t, "key", "list", "--workspace", workspace), b.ok(t, "key", "list", "--workspace", workspace,
		"--json")
	for _, out := range []string{table, list} {
		require.NotContains(t, out, secret[13:])
		require.Contains(t, out, secret[:13])
		require.NotContains(t, out, "Another")
		require.NotContains(t, out, "apiKey")
	}
	require.Regexp(t, `First +`+secret[:13]+`… +EXPIRED +2026-03-02T09:00:00Z +never +channels:read,`, table)
	require.Regexp(t, `Second +svc_live_....… +ACTIVE +never +never `, table)
	keys := decode[[]record](t, list)
	require.Len(t, keys, 2)
	require.Equal(t, "EXPIRED", keys[0]["status"])
}

func TestKeyRevoke(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	created := b.one(t, "key", "create", "--workspace", workspace, "--name", "Website")
	id := text(t, created, "id")

	require.Equal(t, "Key "+id+" (Website) is revoked.\n", b.ok(t, "key", "revoke", "--workspace", workspace, id))
	stored, _, _, err := postgres.NewKeys(b.db).ByHash(t.Context(), sha256.Sum256([]byte(text(t, created, "apiKey"))))
	require.NoError(t, err)
	require.False(t, stored.Valid(b.clock.Now()))

	b.clock.Advance(time.Minute)
	require.Equal(t, "Key "+id+" (Website) was already revoked, at 2026-03-01T09:00:00Z.\n",
		b.ok(t, "key", "revoke", "--workspace", workspace, id))
	again := b.one(t, "key", "revoke", "--workspace", workspace, id)
	require.Equal(t, "REVOKED", again["status"])
	require.Equal(t, "2026-03-01T09:00:00.000Z", again["revokedAt"])
	require.NotContains(t, again, "apiKey")
	require.Equal(t, []string{
		"operator workspace.created Acme", "operator key.created Website", "operator key.revoked Website",
	}, postgrestest.Column(t, b.url, `SELECT actor || ' ' || action || ' ' || subject FROM audit_entry ORDER BY id`), "once")
}

func TestKeyRevokeRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace, other := b.workspace(t), b.workspace(t)
	id := text(t, b.one(t, "key", "create", "--workspace", other, "--name", "Theirs"), "id")
	failed(t, b.run(t, "key", "revoke", "--workspace", workspace, id), "has no key "+id,
		"See: admin key list --workspace "+workspace)
	require.Equal(t, "ACTIVE", b.many(t, "key", "list", "--workspace", other)[0]["status"])
	refused(t, b.run(t, "key", "revoke", "--workspace", workspace), "want one KEY_ID, got 0 arguments")
	refused(t, b.run(t, "key", "revoke", "--workspace", workspace, strings.ToUpper("website")),
		`KEY_ID "WEBSITE" is not an id`)
	refused(t, b.run(t, "key", "revoke", id), "--workspace is required")
}
