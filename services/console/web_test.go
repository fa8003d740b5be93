package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/password"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/infra/ratelimit/ratelimittest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

const (
	issuer   = "https://api.example.com"
	tools    = "https://mcp.example.com/mcp"
	callback = "https://planner.example.net/cb"
	email    = "ada@example.com"
	secret   = "correct horse battery"
	nowhere  = "http://127.0.0.1:1" // the networks
)

type noFetch struct{}

func (noFetch) Do(context.Context, egress.Request) (*egress.Response, error) {
	return nil, &egress.Error{Class: egress.ClassDNS}
}

type bundle struct {
	app         *app.App
	connections *app.Connections
	security    *app.Security
	refreshed   int // times that stored values were taken into use
	auth        *authserver.Server
	clock       *clocktest.Fake
	users       *postgres.Users
	db          *postgres.DB
	box         *secretbox.Keyring
	dsn         string
	server      *httptest.Server
	config      Config
	logs        bytes.Buffer
	person      user.User
	acme        workspace.Workspace
	client      oauth.Client
	names       names // records of domains
}

func setup(t *testing.T) *bundle {
	t.Helper()
	return setupWith(t, objectstoretest.Absent(t))
}

// setupWith returns the application with a store of files.
func setupWith(t *testing.T, files *objectstore.Store) *bundle {
	t.Helper()
	b := &bundle{clock: clocktest.New(time.Now().UTC().Truncate(time.Millisecond))}
	db, dsn := postgrestest.OpenURL(t)
	b.db, b.dsn = db, dsn
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	box, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	b.box = box
	quiet := slog.New(slog.DiscardHandler)
	b.auth, err = authserver.New(authserver.Config{
		DB: db, Keyring: box, Issuer: issuer, Resources: []string{issuer, tools}, Fetch: noFetch{}, Clock: b.clock,
		Logger: quiet,
	})
	require.NoError(t, err)
	limiter, err := ratelimit.New(ratelimit.Config{Store: ratelimittest.Patient{Store: postgres.NewRateLimits(db)}, Clock: b.clock, Logger: quiet})
	require.NoError(t, err)
	b.users = postgres.NewUsers(db)
	b.server = httptest.NewUnstartedServer(nil)
	b.server.Start()
	t.Cleanup(b.server.Close)
	registry, err := connectors.New(connectors.Environment{SandboxURL: nowhere}, b.clock, 0)
	require.NoError(t, err)
	policy, err := egress.NewPolicy(egress.PolicyConfig{Deny: []netip.Prefix{}})
	require.NoError(t, err)
	b.app, err = app.New(app.Deps{
		DB: db, Keyring: box, Connectors: registry, Rules: connectors.Rules(), Files: files,
		Egress: policy, Clock: b.clock, Logger: quiet, Wake: func(relay.Wake) {}, ShortURL: "https://go.example.com", PagesURL: "https://pages.example.com", Names: &b.names,
	})
	require.NoError(t, err)
	applications := b.connects(t, registry)
	b.security, err = app.NewSecurity(app.SecurityDeps{
		DB: db, Keyring: box, Limiter: limiter, Clock: b.clock, AppURL: b.server.URL,
	})
	require.NoError(t, err)
	live, err := app.NewLive(app.LiveDeps{
		DB: db, Keyring: box, Connectors: registry, Rules: connectors.Rules(), Clock: b.clock, Logger: quiet,
	})
	require.NoError(t, err)
	conversations, err := app.NewInbox(app.InboxDeps{
		DB: db, Keyring: box, Connectors: registry, Rules: connectors.Rules(), Clock: b.clock, Wake: func(relay.Wake) {},
		Objects: files, Takes: connectors.ReplyFiles,
	})
	require.NoError(t, err)
	desk, err := app.NewLeadDesk(app.LeadDeskDeps{DB: db, Keyring: box, Clock: b.clock, Wake: func(relay.Wake) {}})
	require.NoError(t, err)
	agent, err := app.NewLeadAgent(app.LeadAgentDeps{DB: db, Wake: func(relay.Wake) {}})
	require.NoError(t, err)
	people, err := app.NewPeople(app.PeopleDeps{DB: db, Clock: b.clock})
	require.NoError(t, err)
	figures, err := app.NewFigures(app.FiguresDeps{DB: db, Keyring: box, Files: files, Coverage: connectors.Coverage, Clock: b.clock})
	require.NoError(t, err)
	b.config = Config{
		Figures: figures, People: people, Leads: desk, LeadAgent: agent, Inbox: conversations, Conversations: postgres.NewConversations(db),
		Security: b.security, Applications: applications, Live: live,
		AppURL: b.server.URL, ToolsURL: tools, App: b.app, Connections: b.connections, Sandbox: nowhere,
		Authorizations: b.auth, Users: b.users, Events: postgres.NewEvents(db), LiveEvery: 20 * time.Millisecond,
		Grants:  postgres.NewGrants(db, box),
		Limiter: limiter, Clock: b.clock,
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		Logger:         slog.New(slog.NewTextHandler(&b.logs, nil)),
	}
	b.server.Config.Handler = b.site(t)
	hash, err := password.Hash(t.Context(), secret)
	require.NoError(t, err)
	b.person, err = user.New(email, "Ada", hash, b.clock.Now())
	require.NoError(t, err)
	_, err = b.users.Insert(t.Context(), b.person)
	require.NoError(t, err)
	b.acme = b.member(t, db, "Acme <b>& Söhne")
	registered, err := b.auth.Register(t.Context(),
		[]byte(`{"client_name":"Plan <script>alert(1)</script>","redirect_uris":["`+callback+
			`"],"token_endpoint_auth_method":"none"}`))
	require.NoError(t, err)
	b.client = registered.Client
	return b
}

// connects creates the use cases of connecting accounts, with one variable in the environment.
func (b *bundle) connects(t *testing.T, registry *platform.Registry) *app.Applications {
	t.Helper()
	var err error
	b.connections, err = app.NewConnections(app.ConnectionsDeps{
		DB: b.db, Keyring: b.box, Links: registry, Clock: b.clock, Logger: slog.New(slog.DiscardHandler), AppURL: b.server.URL,
	})
	require.NoError(t, err)
	applications, err := app.NewApplications(app.ApplicationsDeps{
		DB: b.db, Keyring: b.box, Connections: b.connections, Networks: connectors.Networks(),
		InEnvironment: func(name string) bool { return name == "X_CLIENT_ID" },
		Refresh:       func(context.Context) error { b.refreshed++; return nil },
	})
	require.NoError(t, err)
	return applications
}

// site returns the application with changes.
func (b *bundle) site(t *testing.T, changes ...func(*Config)) http.Handler {
	t.Helper()
	cfg := b.config
	for _, change := range changes {
		change(&cfg)
	}
	site, err := New(cfg)
	require.NoError(t, err)
	return site.Handler()
}

func (b *bundle) member(t *testing.T, db *postgres.DB, name string) workspace.Workspace {
	t.Helper()
	w := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: name, Plan: workspace.Growth, Timezone: "UTC", CreatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewWorkspaces(db).Insert(t.Context(), w))
	require.NoError(t, b.users.Join(t.Context(), b.person.ID, w.ID, member.Owner, b.clock.Now()))
	return w
}

func verifier() string { return strings.Repeat("verifier-", 6) }

// asks creates a pending authorization request of the client.
func (b *bundle) asks(t *testing.T, scope string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(verifier()))
	started, err := b.auth.Authorize(t.Context(), url.Values{
		"client_id": {b.client.ID}, "redirect_uri": {callback}, "response_type": {"code"}, "state": {"s"}, "scope": {scope},
		"resource":       {tools},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	})
	require.NoError(t, err)
	return started.Handle
}

// browser keeps cookies and follows no redirects.
type browser struct {
	*http.Client

	base string
	last page
}

type page struct {
	status int
	header http.Header
	body   string
}

func (b *bundle) browser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &browser{
		base: b.server.URL,
		Client: &http.Client{
			Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

func (br *browser) send(t *testing.T, r *http.Request) page {
	t.Helper()
	response, err := br.Do(r)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	br.last = page{status: response.StatusCode, header: response.Header, body: string(body)}
	return br.last
}

func (br *browser) get(t *testing.T, path string) page {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, br.base+path, http.NoBody)
	require.NoError(t, err)
	return br.send(t, r)
}

// post sends a form of this site.
func (br *browser) post(t *testing.T, path string, form url.Values, headers ...string) page {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, br.base+path, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	return br.send(t, r)
}

func (br *browser) cookie(t *testing.T) string {
	t.Helper()
	u, err := url.Parse(br.base)
	require.NoError(t, err)
	for _, c := range br.Jar.Cookies(u) {
		return c.Value
	}
	return ""
}

func (br *browser) signIn(t *testing.T) {
	t.Helper()
	br.get(t, "/sign-in")
	require.Equal(t, http.StatusSeeOther, br.post(t, "/sign-in",
		url.Values{"email": {"ADA@example.com "}, "password": {secret}}).status)
}

func TestConsentFlow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	handle := b.asks(t, "posts:publish posts:write analytics:read")
	got := br.get(t, "/consent?request="+handle)
	require.Equal(t, "/sign-in?request="+handle, got.header.Get("Location"))
	got = br.get(t, got.header.Get("Location"))
	require.Contains(t, got.body, "Plan &lt;script&gt;alert(1)&lt;/script&gt;")
	before := br.cookie(t)
	got = br.post(t, "/sign-in", url.Values{"email": {email}, "password": {secret}, "request": {handle}})
	require.Equal(t, http.StatusSeeOther, got.status)
	require.Equal(t, "/consent?request="+handle, got.header.Get("Location"))
	require.NotEqual(t, before, br.cookie(t), "who signs in gets a new cookie")
	set := got.header.Get("Set-Cookie")
	for _, attribute := range []string{"HttpOnly", "SameSite=Lax", "Path=/"} {
		require.Contains(t, set, attribute)
	}
	got = br.get(t, got.header.Get("Location"))
	require.Equal(t, http.StatusOK, got.status)
	require.NotContains(t, got.body, "<script")
	for _, shown := range []string{
		"planner.example.net", "The name isn’t verified", "Acme &lt;b&gt;&amp; Söhne", "Publish and schedule posts",
		"View the analytics of your channels and posts", "tools for AI agents",
	} {
		require.Contains(t, got.body, shown)
	}
	got = br.post(t, "/consent", url.Values{
		"request": {handle}, "decision": {"allow"}, "workspace": {b.acme.ID.String()}, "scope": {"posts:write"},
	})
	require.Equal(t, http.StatusSeeOther, got.status)
	back, err := url.Parse(got.header.Get("Location"))
	require.NoError(t, err)
	require.Equal(t, "planner.example.net", back.Host)
	require.Equal(t, issuer, back.Query().Get("iss"))
	tokens, err := b.auth.Token(t.Context(), url.Values{
		"grant_type": {"authorization_code"}, "code": {back.Query().Get("code")}, "redirect_uri": {callback},
		"client_id": {b.client.ID}, "code_verifier": {verifier()},
	}, nil)
	require.NoError(t, err)
	access, _, err := b.auth.Authenticate(t.Context(), tokens.Access)
	require.NoError(t, err)
	require.Equal(t, b.acme.ID, access.Grant.WorkspaceID)
	require.Equal(t, http.StatusGone, br.get(t, "/consent?request="+handle).status)

	got = br.get(t, "/programs")
	require.Contains(t, got.body, "View, create and delete unpublished posts")
	revoke := regexp.MustCompile(`action="(/programs/[^"]+)"`).FindStringSubmatch(got.body)
	require.NotNil(t, revoke)
	require.Equal(t, http.StatusSeeOther, br.post(t, revoke[1], url.Values{}).status)
	got = br.get(t, "/programs?done")
	require.Contains(t, got.body, "Access revoked")
	require.Contains(t, got.body, "No programs yet")
	_, _, err = b.auth.Authenticate(t.Context(), tokens.Access)
	require.Error(t, err)
}

func TestDeclining(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	handle := b.asks(t, "posts:write")
	br.get(t, "/consent?request="+handle)
	got := br.post(t, "/consent", url.Values{"request": {handle}, "decision": {"deny"}})
	back, err := url.Parse(got.header.Get("Location"))
	require.NoError(t, err)
	require.Equal(t, "access_denied", back.Query().Get("error"))
	require.Equal(t, issuer, back.Query().Get("iss"))
	require.Equal(t, "s", back.Query().Get("state"))
}

func TestIncompleteConsentIsRequestedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	handle := b.asks(t, "posts:write")
	br.get(t, "/consent?request="+handle)
	for want, form := range map[string]url.Values{
		"Choose a workspace": {"decision": {"allow"}, "scope": {"posts:write"}},
		"Allow at least one": {"decision": {"allow"}, "workspace": {b.acme.ID.String()}},
		"differ from the requested ones": {
			"decision": {"allow"}, "workspace": {b.acme.ID.String()}, "scope": {"posts:publish"},
		},
		"Choose Allow or Cancel": {},
	} {
		form.Set("request", handle)
		got := br.post(t, "/consent", form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status)
		require.Contains(t, got.body, want)
	}
	foreign := br.post(t, "/consent", url.Values{
		"request": {handle}, "decision": {"allow"}, "workspace": {ident.New[ident.Workspace]().String()},
		"scope": {"posts:write"},
	})
	require.Equal(t, http.StatusGone, foreign.status)
	require.Equal(t, http.StatusOK, br.get(t, "/consent?request="+handle).status, "the request still waits")
}

func TestSignInRefusals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stopsRecovery(t)
	br := b.browser(t)
	br.get(t, "/sign-in")
	var bodies []string
	for _, wrong := range [][2]string{{email, "wrong password"}, {"unknown@example.com", secret}, {"", ""}} {
		got := br.post(t, "/sign-in", url.Values{"email": {wrong[0]}, "password": {wrong[1]}})
		require.Equal(t, http.StatusUnauthorized, got.status)
		require.NotContains(t, got.body, "wrong password<")
		bodies = append(bodies, regexp.MustCompile(`role="alert">[^<]*`).FindString(got.body))
	}
	require.Equal(t, bodies[0], bodies[1], "an unknown user gets the same page")
	signIn := func(secret string) page {
		return br.post(t, "/sign-in", url.Values{"email": {email}, "password": {secret}})
	}
	for range 9 { // with the wrong one above, as many as a person has
		require.Equal(t, http.StatusUnauthorized, signIn("guess guess guess").status)
	}
	got := signIn(secret)
	require.Equal(t, http.StatusTooManyRequests, got.status)
	require.Equal(t, "60", got.header.Get("Retry-After"))
	other, err := user.New("grace@example.com", "Grace", b.person.PasswordHash, b.clock.Now())
	require.NoError(t, err)
	_, err = b.users.Insert(t.Context(), other)
	require.NoError(t, err)
	got = br.post(t, "/sign-in", url.Values{"email": {string(other.Email)}, "password": {secret}})
	require.Equal(t, http.StatusSeeOther, got.status, "others are not kept out")
	require.Equal(t, "/", br.get(t, "/sign-in").header.Get("Location"))
	postgrestest.Exec(t, b.dsn, `UPDATE app_user SET disabled_at = now()`)
	require.Equal(t, "/sign-in", br.get(t, "/programs").header.Get("Location"))
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	idle, out := b.browser(t), b.browser(t)
	idle.signIn(t)
	out.signIn(t)
	require.Equal(t, http.StatusOK, out.get(t, "/programs").status)
	stolen := out.cookie(t)
	require.Equal(t, http.StatusSeeOther, out.post(t, "/sign-out", url.Values{}).status)
	require.Empty(t, out.cookie(t))
	thief := b.browser(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, thief.base+"/programs", http.NoBody)
	require.NoError(t, err)
	r.Header.Set("Cookie", "session="+stolen)
	require.Equal(t, http.StatusSeeOther, thief.send(t, r).status, "who signs out does so everywhere")
	b.clock.Advance(12*time.Hour - time.Second)
	require.Equal(t, http.StatusOK, idle.get(t, "/programs").status)
	b.clock.Advance(12 * time.Hour)
	require.Equal(t, http.StatusSeeOther, idle.get(t, "/programs").status)
	for _, row := range postgrestest.Column(t, b.dsn, `SELECT s::text FROM user_session s`) {
		require.NotContains(t, row, stolen)
	}
}

func TestCrossSiteConsentIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	handle := b.asks(t, "posts:write")
	allow := func() url.Values {
		return url.Values{
			"request": {handle}, "decision": {"allow"}, "workspace": {b.acme.ID.String()}, "scope": {"posts:write"},
		}
	}
	br.get(t, "/consent?request="+handle)
	require.Equal(t, http.StatusForbidden, br.post(t, "/consent", allow(), "Sec-Fetch-Site", "cross-site").status)
	br.get(t, "/consent?request="+handle)
	require.Equal(t, http.StatusForbidden, br.post(t, "/consent", allow(), "Sec-Fetch-Site", "", "Origin",
		"https://evil.test").status)
	fresh := b.browser(t)
	require.Equal(t, http.StatusForbidden, fresh.post(t, "/sign-in", url.Values{"email": {email}, "password": {secret}},
		"Sec-Fetch-Site", "cross-site").status, "another site signs in no person")
	br.get(t, "/programs")
	require.Equal(t, http.StatusOK, br.get(t, "/consent?request="+handle).status, "the request still waits")
	require.Equal(t, http.StatusNotFound, br.post(t, "/programs/"+ident.New[ident.Grant]().String()+"/revoke",
		url.Values{}).status)
	br.get(t, "/programs")
	require.Equal(t, http.StatusNotFound, br.post(t, "/programs/x/revoke", url.Values{}).status)
}

func TestEveryResponseHasSecurityHeaders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	for _, path := range []string{
		"/", "/sign-in", "/nothing", "/consent", "/programs", "/sign-in?request=%0d%0aSet-Cookie:x",
	} {
		got := br.get(t, path)
		require.Contains(t, got.header.Get("Content-Security-Policy"), "default-src 'none'", path)
		require.Contains(t, got.header.Get("Content-Security-Policy"), "frame-ancestors 'none'", path)
		require.NotContains(t, got.header.Get("Content-Security-Policy"), "unsafe", path)
		require.Equal(t, "DENY", got.header.Get("X-Frame-Options"), path)
		require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"), path)
		require.Equal(t, "no-store", got.header.Get("Cache-Control"), path)
		require.Equal(t, "same-origin", got.header.Get("Referrer-Policy"), path)
	}
	style := regexp.MustCompile(`/assets/app-[0-9a-f]+\.css`).FindString(br.get(t, "/sign-in").body)
	got := br.get(t, style)
	require.Equal(t, http.StatusOK, got.status)
	require.Contains(t, got.header.Get("Cache-Control"), "immutable")
	require.Equal(t, http.StatusNotFound, br.post(t, "/programs", url.Values{}).status)
	large := br.post(t, "/sign-in", url.Values{"email": {strings.Repeat("x", 1<<20)}})
	require.Equal(t, http.StatusRequestEntityTooLarge, large.status, "what is too large is not read")
}

// TestComponentsPage checks the page of the components, which only development serves.
func TestComponentsPage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for served, status := range map[bool]int{true: http.StatusOK, false: http.StatusNotFound} {
		handler := b.site(t, func(cfg *Config) { cfg.Components = served })
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, b.server.URL+"/-/components", http.NoBody)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		require.Equal(t, status, w.Code, "%s", w.Body)
	}
}
