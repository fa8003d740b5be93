package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/platform/connectors"
)

// TestConnectPageRequestsServer checks the field for the server of a Mastodon account, its suggestions, and its faults,
// with which nothing is called.
func TestConnectPageRequestsServer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	path := "/w/" + b.acme.ID.String() + "/connect/mastodon"
	shown := br.get(t, path).body
	require.Regexp(t, `<label for="server">Server</label><input id="server" name="server"[^>]* list="server-choices"`, shown)
	require.Contains(t, shown, `value="mastodon.sandbox.test"`)
	for _, choice := range []string{"mastodon.social", "mastodon.online", "mstdn.social", "fosstodon.org", "hachyderm.io"} {
		require.Contains(t, shown, `<option value="`+choice+`">`)
	}
	require.NotContains(t, br.get(t, "/w/"+b.acme.ID.String()+"/connect/twitter").body, `id="server"`)
	for _, named := range []string{"localhost", "10.0.0.1", "http://fosstodon.org", "not a server", `"><script>alert(1)</script>`} {
		got := br.post(t, path, url.Values{"server": {named}})
		require.Equal(t, http.StatusUnprocessableEntity, got.status, named)
		require.Contains(t, got.body, `id="server-fault">This is not the name of a public server.`, named)
		require.NotContains(t, got.body, "<script>alert")
	}
	require.Empty(t, b.outcomes(t))
	require.Contains(t, br.post(t, path, url.Values{"server": {"not a server"}}).body, `value="not a server"`)

	got := br.post(t, path, url.Values{"server": {"@ada@fosstodon.org"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, `id="server-fault">fosstodon.org does not respond. Check the name, or try again later.`)
	require.Contains(t, got.body, `value="@ada@fosstodon.org"`)
	require.NotContains(t, got.body, `role="alert"`)
	require.Equal(t, []string{"FAILED"}, b.outcomes(t), "with its steps")
}

// mastodons plays servers that register applications.
func (b *bundle) mastodons(t *testing.T) {
	t.Helper()
	played := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.URL.Path, "site.example"):
			_, _ = w.Write([]byte("<html>a site</html>"))
		case r.Method == http.MethodPost:
			_, _ = w.Write([]byte(`{"client_id":"an-app","client_secret":"a-secret"}`))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(played.Close)
	registry, err := connectors.New(connectors.Environment{SandboxURL: played.URL}, b.clock, 0)
	require.NoError(t, err)
	use, err := app.NewConnections(app.ConnectionsDeps{
		DB: b.db, Keyring: b.box, Links: registry, Clock: b.clock, Logger: b.config.Logger, AppURL: b.server.URL,
	})
	require.NoError(t, err)
	b.server.Config.Handler = b.site(t, func(c *Config) { c.Connections = use })
}

// TestResponseOfAnotherServerIsRefused sends the response to the attempt at one server to the address of another, as a
// server does that sends a person on to another server for its code.
func TestResponseOfAnotherServerIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.mastodons(t)
	br := b.browser(t)
	br.signIn(t)
	path := "/w/" + b.acme.ID.String() + "/connect/mastodon"
	br.get(t, path)
	for _, at := range []string{"mastodon/callback/honest.example", "mastodon/callback", "mastodon/callback/"} {
		got := br.post(t, path, url.Values{"server": {"evil.example"}})
		require.Equal(t, http.StatusSeeOther, got.status, got.body)
		to, err := url.Parse(got.header.Get("Location"))
		require.NoError(t, err)
		require.Equal(t, "/mastodon-at/evil.example/oauth/authorize", to.Path)
		require.Equal(t, br.base+"/connect/mastodon/callback/evil.example", to.Query().Get("redirect_uri"))
		back := "/connect/" + at + "?" + url.Values{"state": {to.Query().Get("state")}, "code": {"a-code"}}.Encode()
		got = br.get(t, br.get(t, back).header.Get("Location"))
		require.Contains(t, got.body, "Mastodon was not connected", at)
		require.Contains(t, got.body, app.CodeOtherServer, at)
	}
	got := br.post(t, path, url.Values{"server": {"site.example"}})
	require.Contains(t, got.body, `id="server-fault">site.example is not a Mastodon server.`)
	require.Equal(t, []string{"FAILED", "FAILED", "FAILED", "FAILED"}, b.outcomes(t))
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT server FROM connect_attempt WHERE server NOT LIKE 'https://%'`))
}
