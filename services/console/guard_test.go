package main

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// waits creates a pending authorization request with the given redirect.
func (b *bundle) waits(t *testing.T, client, redirect string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(verifier()))
	started, err := b.auth.Authorize(t.Context(), url.Values{
		"client_id": {client}, "redirect_uri": {redirect}, "response_type": {"code"}, "scope": {"posts:write"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	})
	require.NoError(t, err)
	require.NotEmpty(t, started.Handle)
	return started.Handle
}

func (b *bundle) registered(t *testing.T, redirects string) string {
	t.Helper()
	created, err := b.auth.Register(t.Context(), []byte(`{"client_name":"Planner","redirect_uris":[`+redirects+
		`],"token_endpoint_auth_method":"none"}`))
	require.NoError(t, err)
	return created.Client.ID
}

// TestConsentShowsRedirectTarget checks that the page names the redirect of this request, not another registered redirect
// of the program.
func TestConsentShowsRedirectTarget(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	many := b.registered(t, `"https://good.example/cb","https://evil.example/cb","http://127.0.0.1/cb","http://[::1]/cb"`)
	published := "https://agents.example/client.json"
	clients := postgres.NewClients(b.db)
	require.NoError(t, clients.Refresh(t.Context(), oauth.Client{
		ID: published, Kind: oauth.Published, Name: "Agents", AuthMethod: oauth.AuthNone, CreatedAt: b.clock.Now(),
		RedirectURIs: []string{"https://agents.example/cb", "https://elsewhere.example/cb", "http://localhost:1/cb"},
	}, b.clock.Now().Add(time.Hour)))
	const local = "It runs on your computer. Continue only if you started it."
	for _, tc := range []struct{ client, redirect, want, policy string }{
		{
			many, "https://good.example/cb",
			`Access goes to <strong class="host">good.example</strong>. The name isn’t verified`, "'self' https:;",
		},
		{
			many, "https://evil.example/cb",
			`Access goes to <strong class="host">evil.example</strong>. The name isn’t verified`, "'self' https:;",
		},
		{many, "http://127.0.0.1:51004/cb", local, "'self' https: http://127.0.0.1:51004;"},
		{many, "http://[::1]:51004/cb", local, "'self' https: http:;"},
		{
			published, "https://agents.example/cb",
			`goes to <strong class="host">agents.example</strong>, the publisher of the program.`, "'self' https:;",
		},
		{
			published, "https://elsewhere.example/cb",
			`comes from <strong class="host">agents.example</strong>. Access goes to <strong class="host">elsewhere.example</strong>.`,
			"'self' https:;",
		},
		{
			published, "http://localhost:7/cb",
			`It claims to come from <strong class="host">agents.example</strong>. ` + local,
			"'self' https: http://localhost:7;",
		},
	} {
		got := br.get(t, "/consent?request="+b.waits(t, tc.client, tc.redirect))
		require.Equal(t, http.StatusOK, got.status)
		require.Contains(t, got.body, tc.want, tc.redirect)
		require.Contains(t, got.header.Get("Content-Security-Policy"), "form-action "+tc.policy, tc.redirect)
		require.Contains(t, got.header.Get("Content-Security-Policy"), "frame-ancestors 'none'", tc.redirect)
		require.Equal(t, "DENY", got.header.Get("X-Frame-Options"))
	}
	got := br.get(t, "/programs")
	require.Contains(t, got.header.Get("Content-Security-Policy"), "form-action 'self';")
}

// TestGetRequestsChangeNothing checks that only a form, sent by POST with its content type, changes anything.
func TestGetRequestsChangeNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	handle := b.asks(t, "posts:write")
	allow := url.Values{
		"request": {handle}, "decision": {"allow"}, "workspace": {b.acme.ID.String()},
		"scope": {"posts:write"},
	}.Encode()
	require.Equal(t, http.StatusOK, br.get(t, "/consent?"+allow).status, "shown again, and not decided")
	for _, path := range []string{"/sign-out", "/programs/01985f2e-0000-7000-8000-000000000001/revoke"} {
		require.Equal(t, http.StatusNotFound, br.get(t, path).status, path)
	}
	for contentType, body := range map[string]string{
		"text/plain": allow, "application/json": `{"decision":"allow"}`, "": allow, "multipart/form-data": allow,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, br.base+"/consent", strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", contentType)
		require.Equal(t, http.StatusGone, br.send(t, r).status, contentType)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, br.base+"/sign-out?_method=POST", http.NoBody)
	require.NoError(t, err)
	r.Header.Set("X-Http-Method-Override", http.MethodPost)
	require.Equal(t, http.StatusNotFound, br.send(t, r).status)
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM oauth_grant`))
	require.Equal(t, http.StatusOK, br.get(t, "/programs").status, "still signed in")
}

// TestRedirectsStayOnSite checks that no address of the application redirects to another site.
func TestRedirectsStayOnSite(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	for _, path := range []string{
		"//evil.test", "//evil.test/..", "/%2f%2fevil.test", "/sign-in?request=//evil.test",
		"/sign-in?next=https://evil.test", "/consent?request=https://evil.test", `/\evil.test`,
	} {
		got := br.get(t, path)
		if location := got.header.Get("Location"); location != "" {
			require.Regexp(t, `^/([^/\\]|$)`, location, path)
		}
	}
	br.get(t, "/sign-in")
	got := br.post(t, "/sign-in", url.Values{"email": {email}, "password": {secret}, "request": {"https://evil.test"}})
	require.Equal(t, "/", got.header.Get("Location"))
}

// TestConsentAllowsPopupOpener checks that a program which opened the page in a window stays connected to it. Otherwise
// the program would consider the window closed.
func TestConsentAllowsPopupOpener(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	for path, want := range map[string]string{
		"/sign-in": "", "/consent": "", "/programs": "same-origin", "/nothing": "same-origin",
		// the way with a second factor, and through the provider
		"/sign-in/second": "", "/sign-in/passkey": "", "/sign-in/provider": "", "/sign-in/provider/callback": "",
		"/sign-in-elsewhere": "same-origin", "/confirm": "same-origin",
	} {
		require.Equal(t, want, br.get(t, path).header.Get("Cross-Origin-Opener-Policy"), path)
	}
}

// TestFormsBehindProxy checks forms behind a proxy that uses another host name: the browser sends the public origin.
func TestFormsBehindProxy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.get(t, "/sign-in")
	form := url.Values{"email": {email}, "password": {secret}}.Encode()
	cookie := "session=" + br.cookie(t)
	for origin, want := range map[string]int{
		"https://evil.test": http.StatusForbidden, "null": http.StatusForbidden, b.server.URL: http.StatusSeeOther,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, br.base+"/sign-in", strings.NewReader(form))
		require.NoError(t, err)
		r.Host = "console.internal:8081"
		r.Header.Set("Cookie", cookie)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", origin)
		require.Equal(t, want, br.send(t, r).status, origin)
	}
}

// TestConcurrentDecisionsCountOnce decides one request in two windows.
func TestConcurrentDecisionsCountOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	handle := b.asks(t, "posts:write")
	br.get(t, "/consent?request="+handle)
	form := func(decision string) url.Values {
		return url.Values{
			"request": {handle}, "decision": {decision}, "workspace": {b.acme.ID.String()},
			"scope": {"posts:write"},
		}
	}
	require.Equal(t, http.StatusSeeOther, br.post(t, "/consent", form("deny")).status)
	require.Equal(t, http.StatusGone, br.post(t, "/consent", form("allow")).status)
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM oauth_grant`))
}
