package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

func (b *bundle) stored(t *testing.T) map[string]string {
	t.Helper()
	values, err := postgres.NewAppCredentials(b.db, b.box).All(t.Context())
	require.NoError(t, err)
	return values
}

// TestOperatorsEnterApplications stores, replaces and deletes the id and the secret of an application.
func TestOperatorsEnterApplications(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := postgres.NewOperators(b.db).Add(t.Context(), b.person.ID)
	require.NoError(t, err)
	br := b.browser(t)
	br.signIn(t)
	page := "/w/" + b.acme.ID.String() + "/settings/networks"
	got := br.get(t, page)
	require.Equal(t, http.StatusOK, got.status)
	require.Contains(t, got.body, b.server.URL+"/connect/threads/callback")
	for want, form := range map[string]url.Values{
		"Enter a value.":                   {"id": {"an-id"}},
		"characters without spaces":        {"id": {"an id"}, "secret": {"a-secret"}},
		"Use up to 500 characters":         {"id": {"an-id"}, "secret": {strings.Repeat("x", 501)}},
		"characters without spaces.</span": {"id": {"an-id"}, "secret": {"a-ſecret"}},
	} {
		br.get(t, page)
		got = br.post(t, page+"/THREADS_APP_ID", form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, want)
		require.Contains(t, got.body, want)
		require.NotContains(t, got.body, "a-secret")
	}
	require.Empty(t, b.stored(t))
	require.Zero(t, b.refreshed)

	br.get(t, page)
	require.Equal(t, http.StatusSeeOther, br.post(t, page+"/THREADS_APP_ID",
		url.Values{"id": {"the-id"}, "secret": {"the-secret"}}).status)
	require.Equal(t, map[string]string{"THREADS_APP_ID": "the-id", "THREADS_APP_SECRET": "the-secret"}, b.stored(t))
	require.Equal(t, 1, b.refreshed, "this program uses the values at once")
	got = br.get(t, page)
	require.Contains(t, got.body, ">Ready<")
	require.NotContains(t, got.body, "the-secret")
	require.NotContains(t, got.body, "the-id")
	br.post(t, page+"/THREADS_APP_ID", url.Values{"secret": {"another"}})
	require.Equal(t, map[string]string{"THREADS_APP_ID": "the-id", "THREADS_APP_SECRET": "another"}, b.stored(t))

	br.get(t, page)
	got = br.post(t, page+"/THREADS_APP_ID/check", url.Values{})
	require.Contains(t, got.body, "No result.")
	require.NotContains(t, got.body, "invented-code")
	require.Equal(t, http.StatusSeeOther, br.post(t, page+"/THREADS_APP_ID/remove", url.Values{}).status)
	require.Empty(t, b.stored(t))
	br.get(t, page)
	require.Equal(t, http.StatusNotFound, br.post(t, page+"/DATABASE_URL", url.Values{"id": {"x"}, "secret": {"y"}}).status)
	for _, row := range postgrestest.Column(t, b.dsn, `SELECT a::text FROM audit_entry a UNION ALL SELECT c::text FROM app_credential c`) {
		require.NotContains(t, row, "the-secret")
	}
	require.Equal(t, []string{
		"application.changed THREADS_APP_ID stored", "application.changed THREADS_APP_ID stored",
		"application.changed THREADS_APP_ID deleted",
	},
		postgrestest.Column(t, b.dsn, `SELECT action || ' ' || subject || ' ' || detail FROM audit_entry ORDER BY id`))
	require.NotContains(t, b.logs.String(), "the-secret")
}

// TestEnvironmentOverridesStoredApplications shows what the environment sets, which cannot be replaced.
func TestEnvironmentOverridesStoredApplications(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := postgres.NewOperators(b.db).Add(t.Context(), b.person.ID)
	require.NoError(t, err)
	require.NoError(t, postgres.NewAppCredentials(b.db, b.box).Set(t.Context(), map[string]string{"X_CLIENT_ID": "old"}, "operator"))
	br := b.browser(t)
	br.signIn(t)
	page := "/w/" + b.acme.ID.String() + "/settings/networks"
	require.Contains(t, br.get(t, page).body, "from the environment; the stored value is not used")
	got := br.post(t, page+"/X_CLIENT_ID", url.Values{"id": {"new"}, "secret": {"a-secret"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Equal(t, map[string]string{"X_CLIENT_ID": "old"}, b.stored(t))
	br.get(t, page)
	require.Equal(t, http.StatusSeeOther, br.post(t, page+"/X_CLIENT_ID", url.Values{"secret": {"a-secret"}}).status)
	require.Equal(t, map[string]string{"X_CLIENT_ID": "old", "X_CLIENT_SECRET": "a-secret"}, b.stored(t))
}

// TestOnlyOperatorsChangeApplications calls the forms as an owner who is no operator, and as an operator without a role
// that connects.
func TestOnlyOperatorsChangeApplications(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	for role, operator := range map[member.Role]bool{member.Owner: false, member.Admin: false, member.Editor: true} {
		person := b.membership(t, ours.workspace, role)
		if operator {
			_, err := postgres.NewOperators(b.db).Add(t.Context(), person.ID)
			require.NoError(t, err)
		}
		br := b.browser(t)
		br.signInAs(t, person.Email)
		page := "/w/" + ours.workspace.ID.String() + "/settings/networks"
		got := br.get(t, page)
		require.NotContains(t, got.body, `action="`+page, role)
		for _, path := range []string{"/THREADS_APP_ID", "/THREADS_APP_ID/remove", "/THREADS_APP_ID/check"} {
			got := br.post(t, page+path, url.Values{"id": {"evil"}, "secret": {"evil"}})
			require.Equal(t, http.StatusForbidden, got.status, "%s %s", role, path)
		}
	}
	require.Empty(t, b.stored(t))
}
