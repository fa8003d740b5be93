package cli_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/password"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// signsIn reports whether the password belongs to the address.
func (b *bundle) signsIn(t *testing.T, address email.Address, typed string) bool {
	t.Helper()
	u, err := postgres.NewUsers(b.db).ByEmail(t.Context(), address)
	require.NoError(t, err)
	right, err := password.Matches(t.Context(), typed, u.PasswordHash)
	require.NoError(t, err)
	return right
}

func TestUsers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.workspace(t), b.workspace(t)
	created := b.one(t, "user", "add", "--workspace", first, "--email", "Mara@example.com", "--name", "Mara Lindqvist")
	secret := text(t, created, "password")
	require.Len(t, secret, 20)
	require.Equal(t, record{
		"id": created["id"], "email": "Mara@example.com", "name": "Mara Lindqvist", "password": secret, "disabledAt": nil,
		"createdAt": "2026-03-01T09:00:00.000Z",
	}, created)
	require.True(t, b.signsIn(t, "mara@EXAMPLE.com", secret))

	again := b.one(t, "user", "add", "--workspace", second, "--email", "mara@example.com", "--name", "Other")
	require.Equal(t, created["id"], again["id"], "one person works in two workspaces")
	require.Equal(t, "Mara Lindqvist", again["name"])
	require.NotContains(t, again, "password")
	require.Contains(t, b.runWith(t, "another password", "user", "add", "--workspace", first, "--email",
		"mara@example.com", "--name", "Mara", "--password-file", "-").err, "admin user password")
	require.True(t, b.signsIn(t, "mara@example.com", secret))

	own := b.runWith(t, "one of my own choice\n", "user", "password", "mara@example.com", "--password-file", "-")
	require.Zero(t, own.code, own.err)
	require.True(t, b.signsIn(t, "mara@example.com", "one of my own choice"))
	out := b.ok(t, "user", "password", "mara@example.com")
	require.Regexp(t, `not shown again:\n\n  [0-9A-Za-z]{20}\n`, out)
	require.False(t, b.signsIn(t, "mara@example.com", "one of my own choice"))

	require.Len(t, b.many(t, "user", "list", "--workspace", second), 1)
	require.Regexp(t, `(?m)^Mara@example\.com +Mara Lindqvist +OWNER +no +2026-03-01T09:00:00Z$`,
		b.ok(t, "user", "list", "--workspace", second))
	require.Equal(t, true, b.one(t, "user", "remove", "--workspace", second, "mara@example.com")["removed"])
	require.Equal(t, false, b.one(t, "user", "remove", "--workspace", second, "mara@example.com")["removed"])
	require.Empty(t, b.many(t, "user", "list", "--workspace", second))
	require.Len(t, b.many(t, "user", "list", "--workspace", first), 1)
}

func TestOperatorsOfInstallation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	created := b.one(t, "user", "add", "--workspace", b.workspace(t), "--email", "mara@example.com", "--name", "Mara")
	id, err := ident.Parse[ident.User](text(t, created, "id"))
	require.NoError(t, err)
	for _, step := range []struct {
		args        []string
		is, changed bool
	}{
		{[]string{"mara@example.com"}, true, true},
		{[]string{"MARA@example.com"}, true, false},
		{[]string{"--remove", "mara@example.com"}, false, true},
		{[]string{"--remove", "mara@example.com"}, false, false},
	} {
		got := b.one(t, append([]string{"user", "operator"}, step.args...)...)
		require.Equal(t, step.is, got["operator"])
		require.Equal(t, step.changed, got["changed"])
		is, err := postgres.NewOperators(b.db).Is(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, step.is, is)
	}
	require.Contains(t, b.run(t, "user", "operator", "other@example.com").err, "There is no user")
}

func TestInvalidUsers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	for want, args := range map[string][]string{
		"not an email address":  {"user", "add", "--workspace", workspace, "--email", "mara", "--name", "Mara"},
		"The name must":         {"user", "add", "--workspace", workspace, "--email", "mara@example.com"},
		"is required":           {"user", "add", "--email", "mara@example.com", "--name", "Mara"},
		"There is no user mara": {"user", "password", "mara@example.com"},
		"There is no user":      {"user", "remove", "--workspace", workspace, "mara@example.com"},
		"There is no workspace": {
			"user", "add", "--workspace", "01900000-0000-7000-8000-000000000000", "--email", "mara@example.com", "--name",
			"Mara",
		},
	} {
		got := b.run(t, args...)
		require.NotZero(t, got.code)
		require.Contains(t, got.err, want)
	}
	short := b.runWith(t, "short", "user", "add", "--workspace", workspace, "--email", "mara@example.com", "--name",
		"Mara", "--password-file", "-")
	require.Contains(t, short.err, "12 to 200 characters")
	require.Empty(t, b.many(t, "user", "list", "--workspace", workspace))
}

func TestResetSecondFactor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	b.ok(t, "user", "add", "--workspace", workspace, "--email", "mara@example.com", "--name", "Mara")
	require.Contains(t, b.ok(t, "user", "reset-second-factor", "mara@example.com"), "has no second factor")
	users := postgres.NewUsers(b.db)
	u, err := users.ByEmail(t.Context(), "mara@example.com")
	require.NoError(t, err)
	factors := postgres.NewFactors(b.db, b.ring(t))
	inserted, err := factors.InsertPasskey(t.Context(), user.Key{
		ID: ident.New[ident.Passkey](), UserID: u.ID, CredentialID: []byte("x"), Name: "Phone", Record: []byte("{}"), CreatedAt: u.CreatedAt,
	})
	require.NoError(t, err)
	require.True(t, inserted)
	require.NoError(t, users.InsertSession(t.Context(), [32]byte{1}, user.Session{
		ID: ident.New[ident.Session](), UserID: u.ID, CreatedAt: u.CreatedAt,
	}))
	require.Equal(t, true, b.one(t, "user", "reset-second-factor", "mara@example.com")["removed"])
	u, err = users.ByEmail(t.Context(), "mara@example.com")
	require.NoError(t, err)
	require.False(t, u.SecondFactor)
	require.Empty(t, postgrestest.Column(t, b.url, `SELECT 1 FROM user_session`))
	require.Equal(t, []string{"operator user.second_factor_reset Mara <mara@example.com>"},
		postgrestest.Column(t, b.url, `SELECT actor || ' ' || action || ' ' || subject FROM audit_entry WHERE action LIKE 'user.%'`))
	require.Contains(t, b.runWith(t, "", "user", "reset-second-factor", "who@example.com").err, "There is no user")
}
