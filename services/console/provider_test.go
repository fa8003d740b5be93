package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/infra/ratelimit/ratelimittest"
)

const (
	clientID     = "fencepost"
	clientSecret = "provider secret"
)

// provider is a small OpenID Connect provider. Its next token can be falsified.
type provider struct {
	*httptest.Server

	t         *testing.T
	key       *ecdsa.PrivateKey
	now       func() time.Time
	requested url.Values          // parameters of the last authorization request
	claims    map[string]any      // replace those of the next token; nil removes one
	sign      func([]byte) string // replaces the signature, if set
}

func newProvider(t *testing.T, now func() time.Time) *provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	p := &provider{t: t, key: key, now: now}
	mux := http.NewServeMux()
	response := func(rw http.ResponseWriter, document any) {
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(document)
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(rw http.ResponseWriter, _ *http.Request) {
		response(rw, map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
			"jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"ES256", "none"},
			"token_endpoint_auth_methods_supported": []string{"client_secret_basic"},
		})
	})
	mux.HandleFunc("GET /keys", func(rw http.ResponseWriter, _ *http.Request) {
		response(rw, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k1", Algorithm: "ES256", Use: "sig"}}})
	})
	mux.HandleFunc("POST /token", func(rw http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth()
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		challenge := base64.RawURLEncoding.EncodeToString(sum[:])
		if id != clientID || secret != url.QueryEscape(clientSecret) || r.PostFormValue("code") != "the-code" ||
			challenge != p.requested.Get("code_challenge") {
			rw.WriteHeader(http.StatusBadRequest)
			response(rw, map[string]string{"error": "invalid_grant"})
			return
		}
		response(rw, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": p.token()})
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// token returns an ID token of the last authorization request.
func (p *provider) token() string {
	all := map[string]any{
		"iss": p.URL, "sub": "ada-at-provider", "aud": clientID, "nonce": p.requested.Get("nonce"), "email": "Ada@Example.com",
		"email_verified": true, "iat": p.now().Unix(), "exp": p.now().Add(time.Minute).Unix(),
	}
	for name, value := range p.claims {
		if all[name] = value; value == nil {
			delete(all, name)
		}
	}
	payload, err := json.Marshal(all)
	if err != nil {
		return err.Error()
	}
	if p.sign != nil {
		return p.sign(payload)
	}
	return signed(payload, p.key)
}

func signed(payload []byte, key *ecdsa.PrivateKey) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key},
		(&jose.SignerOptions{}).WithHeader("kid", "k1"))
	if err != nil {
		return err.Error()
	}
	created, err := signer.Sign(payload)
	if err != nil {
		return err.Error()
	}
	text, err := created.CompactSerialize()
	if err != nil {
		return err.Error()
	}
	return text
}

// withProvider returns the application with a sign-in provider.
func withProvider(t *testing.T) (*bundle, *provider) {
	t.Helper()
	b := setup(t)
	p := newProvider(t, b.clock.Now)
	limiter, err := ratelimit.New(ratelimit.Config{Store: ratelimittest.Patient{Store: postgres.NewRateLimits(b.db)}, Clock: b.clock, Logger: b.config.Logger})
	require.NoError(t, err)
	security, err := app.NewSecurity(app.SecurityDeps{
		DB: b.db, Keyring: b.box, Limiter: limiter, Clock: b.clock, AppURL: b.server.URL,
		Provider: app.SignInProvider{Issuer: p.URL, ClientID: clientID, ClientSecret: clientSecret, Name: "Example Login"},
	})
	require.NoError(t, err)
	b.server.Config.Handler = b.site(t, func(c *Config) { c.Security = security })
	return b, p
}

// goes starts at a page with a button and returns the path with which the provider sends the browser back.
func (br *browser) goes(t *testing.T, p *provider, from, button string, form url.Values) string {
	t.Helper()
	page := br.visited(t, from)
	require.Contains(t, page.header.Get("Content-Security-Policy"), "form-action 'self' https: "+p.URL+";")
	got := br.post(t, button, form)
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	to, err := url.Parse(got.header.Get("Location"))
	require.NoError(t, err)
	require.Equal(t, p.URL+"/authorize", to.Scheme+"://"+to.Host+to.Path)
	p.requested = to.Query()
	require.Equal(t, clientID, p.requested.Get("client_id"))
	require.Equal(t, "S256", p.requested.Get("code_challenge_method"))
	require.Equal(t, br.base+"/sign-in/provider/callback", p.requested.Get("redirect_uri"))
	return "/sign-in/provider/callback?" + url.Values{"code": {"the-code"}, "state": {p.requested.Get("state")}}.Encode()
}

func (br *browser) goesToSignIn(t *testing.T, p *provider) string {
	t.Helper()
	return br.goes(t, p, "/sign-in", "/sign-in/provider", url.Values{})
}

// links signs in once with the password, after which the provider signs the person in.
func (br *browser) links(t *testing.T, p *provider) {
	t.Helper()
	page := br.visited(t, br.goesToSignIn(t, p))
	require.Contains(t, page.body, "Sign in once with your password")
	require.Equal(t, http.StatusSeeOther, br.get(t, "/programs").status, "the provider alone does not link")
	br.visited(t, "/sign-in")
	require.Equal(t, http.StatusSeeOther, br.post(t, "/sign-in", url.Values{"email": {email}, "password": {secret}}).status)
	require.Contains(t, br.visited(t, "/programs").body, "Example Login signs you in")
}

func TestSigningInThroughProvider(t *testing.T) {
	t.Parallel()
	b, p := withProvider(t)
	b.browser(t).links(t, p)
	br := b.browser(t)
	handle := b.asks(t, "posts:write")
	p.claims = map[string]any{"email": "changed@example.com", "email_verified": false} // the subject counts
	back := br.goes(t, p, "/sign-in?request="+handle, "/sign-in/provider", url.Values{"request": {handle}})
	before := br.cookie(t)
	require.Equal(t, "/consent?request="+handle, br.get(t, back).header.Get("Location"))
	require.NotEqual(t, before, br.cookie(t))
	require.Equal(t, http.StatusOK, br.get(t, "/consent?request="+handle).status)
	again := br.get(t, back)
	require.Equal(t, http.StatusForbidden, again.status, "a return works once")
	require.Equal(t, []string{"user.sign_in_provider_linked " + p.URL},
		postgrestest.Column(t, b.dsn, `SELECT action || ' ' || detail FROM audit_entry`))
	for _, hidden := range []string{clientSecret, "the-code", p.requested.Get("state")} {
		require.NotContains(t, b.logs.String(), hidden)
	}

	postgrestest.Exec(t, b.dsn, `UPDATE app_user SET disabled_at = now()`)
	gone := b.browser(t)
	require.Equal(t, http.StatusForbidden, gone.get(t, gone.goesToSignIn(t, p)).status)
	require.Equal(t, http.StatusSeeOther, gone.get(t, "/programs").status)
}

// TestInvalidProviderTokens sends tokens that the provider would not issue for this sign-in.
func TestInvalidProviderTokens(t *testing.T) {
	t.Parallel()
	b, p := withProvider(t)
	b.browser(t).links(t, p)
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	encode := base64.RawURLEncoding.EncodeToString
	for name, falsify := range map[string]func(){
		"another nonce":    func() { p.claims = map[string]any{"nonce": "other"} },
		"no nonce":         func() { p.claims = map[string]any{"nonce": nil} },
		"another audience": func() { p.claims = map[string]any{"aud": "other"} },
		"two audiences":    func() { p.claims = map[string]any{"aud": []string{clientID, "other"}} },
		"another party":    func() { p.claims = map[string]any{"azp": "other"} },
		"another issuer":   func() { p.claims = map[string]any{"iss": "https://evil.test"} },
		"expired":          func() { p.claims = map[string]any{"exp": p.now().Add(-time.Minute).Unix()} },
		"no expiry":        func() { p.claims = map[string]any{"exp": nil} },
		"no subject":       func() { p.claims = map[string]any{"sub": ""} },
		"unsigned": func() {
			p.sign = func(payload []byte) string { return encode([]byte(`{"alg":"none"}`)) + "." + encode(payload) + "." }
		},
		"signed by another key": func() { p.sign = func(payload []byte) string { return signed(payload, other) } },
		"signed by the client": func() {
			p.sign = func(payload []byte) string {
				signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: []byte(strings.Repeat(clientSecret, 3))}, nil)
				require.NoError(t, err)
				created, err := signer.Sign(payload)
				require.NoError(t, err)
				text, err := created.CompactSerialize()
				require.NoError(t, err)
				return text
			}
		},
		"nothing": func() { p.sign = func([]byte) string { return "" } },
	} {
		br := b.browser(t)
		back := br.goesToSignIn(t, p)
		falsify()
		got := br.get(t, back)
		p.claims, p.sign = nil, nil
		require.Equal(t, http.StatusForbidden, got.status, name)
		require.Contains(t, got.body, "was not accepted", name)
		require.Equal(t, http.StatusSeeOther, br.get(t, "/programs").status, name)
	}
	br := b.browser(t)
	require.Equal(t, "/", br.get(t, br.goesToSignIn(t, p)).header.Get("Location"), "the true one is accepted")
}

// TestProviderCallbackIsBoundToBrowser checks that a browser signs in only with what it began itself.
func TestProviderCallbackIsBoundToBrowser(t *testing.T) {
	t.Parallel()
	b, p := withProvider(t)
	b.browser(t).links(t, p)
	attacker, victim := b.browser(t), b.browser(t)
	back := attacker.goesToSignIn(t, p)
	victim.get(t, "/sign-in")
	require.Equal(t, http.StatusForbidden, victim.get(t, back).status, "the state of another browser")
	victim.goesToSignIn(t, p)
	require.Equal(t, http.StatusForbidden, victim.get(t, back).status, "another state of the same browser")
	mine := victim.goesToSignIn(t, p)
	for _, wrong := range []string{
		strings.Replace(mine, "the-code", "a-code", 1), mine + "&iss=https%3A%2F%2Fevil.test", "/sign-in/provider/callback",
		"/sign-in/provider/callback?error=access_denied&state=" + p.requested.Get("state"),
	} {
		require.Equal(t, http.StatusForbidden, victim.get(t, wrong).status, wrong)
		require.Equal(t, http.StatusForbidden, victim.get(t, mine).status, "the state was used")
		mine = victim.goesToSignIn(t, p)
	}
	b.clock.Advance(11 * time.Minute)
	require.Equal(t, http.StatusForbidden, victim.get(t, mine).status, "too late")
	require.Equal(t, http.StatusSeeOther, victim.get(t, "/programs").status)
}

// TestProviderAccountRequiresLink checks that an account at the provider gives access to no user who did not link it.
func TestProviderAccountRequiresLink(t *testing.T) {
	t.Parallel()
	b, p := withProvider(t)
	for want, claims := range map[string]map[string]any{
		"has not verified your email address": {"email_verified": false},
		"No account has your email address":   {"email": "unknown@example.com"},
	} {
		p.claims = claims
		br := b.browser(t)
		got := br.get(t, br.goesToSignIn(t, p))
		require.Equal(t, http.StatusForbidden, got.status)
		require.Contains(t, got.body, want)
		br.visited(t, "/sign-in")
		br.post(t, "/sign-in", url.Values{"email": {email}, "password": {secret}})
		require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM user_identity`))
	}
	p.claims = map[string]any{"email_verified": "true"}
	require.Len(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM app_user`), 1, "no user was created")

	// the sign-in of another person in the same browser does not link
	mallory := b.membership(t, b.acme, member.Viewer)
	br := b.browser(t)
	br.visited(t, br.goesToSignIn(t, p))
	require.Equal(t, http.StatusSeeOther, br.post(t, "/sign-in", url.Values{"email": {string(mallory.Email)}, "password": {secret}}).status)
	require.Equal(t, http.StatusOK, br.get(t, "/programs").status)
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM user_identity`))

	// nor does a signed-in person get the account of another address
	path := b.securityPath()
	got := br.get(t, br.goes(t, p, path, path+"/provider", url.Values{}))
	require.Equal(t, http.StatusForbidden, got.status)
	require.Contains(t, got.body, "must have verified your email address "+string(mallory.Email))
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM user_identity`))
}

// TestProviderSignInRequiresSecondFactor checks that the second factor is needed after the provider as well, before a link and
// after it.
func TestProviderSignInRequiresSecondFactor(t *testing.T) {
	t.Parallel()
	b, p := withProvider(t)
	owner := b.browser(t)
	owner.signIn(t)
	key, codes := owner.turnsOn(t, b)
	br := b.browser(t)
	br.visited(t, br.goesToSignIn(t, p))
	got := br.post(t, "/sign-in", url.Values{"email": {email}, "password": {secret}})
	require.Equal(t, "/sign-in/second", got.header.Get("Location"))
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM user_identity`), "the sign-in is not complete")
	br.visited(t, "/sign-in/second")
	require.Equal(t, http.StatusSeeOther, br.post(t, "/sign-in/second", url.Values{"code": {b.code(t, key, 1)}}).status)
	require.Len(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM user_identity`), 1)

	br = b.browser(t)
	require.Equal(t, "/sign-in/second", br.get(t, br.goesToSignIn(t, p)).header.Get("Location"))
	require.Equal(t, http.StatusSeeOther, br.get(t, "/programs").status)
	br.visited(t, "/sign-in/second")
	require.Equal(t, http.StatusSeeOther, br.post(t, "/sign-in/second", url.Values{"code": {codes[0]}}).status)
	require.Equal(t, http.StatusOK, br.get(t, "/programs").status)
}

func TestConnectingProvider(t *testing.T) {
	t.Parallel()
	b, p := withProvider(t)
	br, other := b.browser(t), b.browser(t)
	br.signIn(t)
	path := b.securityPath()
	require.Equal(t, path, br.get(t, br.goes(t, p, path, path+"/provider", url.Values{})).header.Get("Location"))
	require.Contains(t, br.visited(t, path).body, "signs you in")
	require.Equal(t, "/", other.get(t, other.goesToSignIn(t, p)).header.Get("Location"))
	page := br.visited(t, path)
	require.NotNil(t, regexp.MustCompile(`action="[^"]+/provider/remove"`).FindString(page.body))
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/provider/remove", url.Values{}).status)
	require.Equal(t, http.StatusSeeOther, other.get(t, "/programs").status, "other sessions end")
	require.Contains(t, other.visited(t, other.goesToSignIn(t, p)).body, "Sign in once with your password")
	require.Equal(t, []string{"user.sign_in_provider_linked", "user.sign_in_provider_unlinked"},
		postgrestest.Column(t, b.dsn, `SELECT action FROM audit_entry ORDER BY id`))
}

// TestPasswordSignInWithoutProvider checks that people sign in with their password while the provider is down.
func TestPasswordSignInWithoutProvider(t *testing.T) {
	t.Parallel()
	b, p := withProvider(t)
	p.Close()
	br := b.browser(t)
	br.visited(t, "/sign-in")
	got := br.post(t, "/sign-in/provider", url.Values{})
	require.Equal(t, http.StatusServiceUnavailable, got.status)
	require.Contains(t, got.body, "Example Login is not available")
	br.signIn(t)
}

// joinsThrough begins at an invitation, goes to the provider, and returns the page that follows.
func (br *browser) joinsThrough(t *testing.T, p *provider, link string) page {
	t.Helper()
	return br.get(t, br.goes(t, p, link, "/sign-in/provider", url.Values{"next": {link}}))
}

// TestJoiningThroughProvider accepts an invitation with an account of the provider, without a password.
func TestJoiningThroughProvider(t *testing.T) {
	t.Parallel()
	b, p := withProvider(t)
	owner := b.browser(t)
	owner.signIn(t)
	base := "/w/" + b.acme.ID.String()
	link := owner.invites(t, base, "grace@example.com", member.Contributor)
	p.claims = map[string]any{"sub": "grace-at-provider", "email": "Grace@Example.com", "name": "Grace <Hopper>"}
	guest := b.browser(t)
	require.Contains(t, guest.visited(t, link).body, "Continue with Example Login")
	require.Equal(t, link, guest.get(t, link+"/provider").header.Get("Location"), "the person was not at the provider")
	require.Equal(t, link+"/provider", guest.joinsThrough(t, p, link).header.Get("Location"))
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM user_identity`), "nothing happens before the person agrees")
	got := guest.visited(t, link+"/provider")
	require.Contains(t, got.body, "Grace@Example.com")
	require.Contains(t, got.body, `value="Grace &lt;Hopper&gt;"`)
	require.NotContains(t, got.body, `type="password"`)
	require.Equal(t, http.StatusUnprocessableEntity, guest.post(t, link+"/provider", url.Values{"name": {" "}}).status)
	before := guest.cookie(t)
	require.Equal(t, base+"/posts", guest.post(t, link+"/provider", url.Values{
		"name": {"Grace"}, "email": {"evil@example.com"},
	}).header.Get("Location"))
	require.NotEqual(t, before, guest.cookie(t))
	require.Equal(t, http.StatusOK, guest.get(t, base+"/posts").status)
	require.Equal(t, []string{"CONTRIBUTOR grace@example.com Grace 0 grace-at-provider"}, postgrestest.Column(t, b.dsn,
		`SELECT concat_ws(' ', m.role, u.email, u.name, length(u.password_hash), i.subject) FROM workspace_member m
		JOIN app_user u ON u.id = m.user_id JOIN user_identity i ON i.user_id = u.id`))
	require.Equal(t, []string{"member.invited", "member.joined", "user.sign_in_provider_linked"},
		postgrestest.Column(t, b.dsn, `SELECT action FROM audit_entry ORDER BY id`))
	require.Equal(t, http.StatusGone, b.browser(t).get(t, link).status, "it works once")

	again := b.browser(t)
	require.Equal(t, "/", again.get(t, again.goesToSignIn(t, p)).header.Get("Location"), "signs in from now on")
	for _, guess := range []string{"", " ", secret} {
		other := b.browser(t)
		other.get(t, "/sign-in")
		require.Equal(t, http.StatusUnauthorized, other.post(t, "/sign-in",
			url.Values{"email": {"grace@example.com"}, "password": {guess}}).status, "there is no password")
	}
	security := base + "/settings/security"
	require.Contains(t, guest.visited(t, security).body, "You have no password.")
	require.NotContains(t, guest.last.body, "/provider/remove")
	require.Equal(t, 2, strings.Count(guest.visited(t, base+"/settings/profile").body, "You have no password."),
		"instead of the forms of the password and of the address")
	require.NotContains(t, guest.last.body, `type="password"`)
	grace, err := b.users.ByEmail(t.Context(), "grace@example.com")
	require.NoError(t, err)
	require.NoError(t, b.security.StartApp(t.Context(), grace))
	postgrestest.Exec(t, b.dsn, `UPDATE user_totp SET confirmed_at = now()`)
	require.Contains(t, guest.visited(t, security).body, "To turn it off you need a password.")
	require.NotContains(t, guest.last.body, `type="password"`)
	require.NotContains(t, guest.last.body, "/app/remove")
	postgrestest.Exec(t, b.dsn, `DELETE FROM user_totp`)
	guest.visited(t, base+"/settings/profile")
	require.Equal(t, http.StatusConflict, guest.post(t, security+"/provider/remove", url.Values{}).status,
		"the only way in is not removed")
	b.clock.Advance(11 * time.Minute)
	require.Contains(t, guest.visited(t, "/confirm?next="+security).body, "You have no password.")
}

// TestJoiningRequiresInvitedProviderAccount checks that neither an account of another address nor one of a user joins, nor a
// browser that was not at the provider itself.
func TestJoiningRequiresInvitedProviderAccount(t *testing.T) {
	t.Parallel()
	b, p := withProvider(t)
	owner := b.browser(t)
	owner.signIn(t)
	base := "/w/" + b.acme.ID.String()
	link := owner.invites(t, base, "grace@example.com", member.Contributor)
	p.claims = map[string]any{"sub": "grace-at-provider", "email": "grace@example.com", "email_verified": false}
	mallory := b.browser(t)
	require.Equal(t, http.StatusForbidden, mallory.joinsThrough(t, p, link).status, "the address is not verified")
	p.claims = map[string]any{"sub": "mallory", "email": "mallory@example.com"}
	require.Equal(t, link+"/provider", mallory.joinsThrough(t, p, link).header.Get("Location"))
	require.Contains(t, mallory.visited(t, link+"/provider").body, "but the invitation is for grace@example.com")
	require.NotContains(t, mallory.last.body, `name="name"`)
	mallory.visited(t, link) // has a form, for the token
	require.Equal(t, http.StatusConflict, mallory.post(t, link+"/provider", url.Values{"name": {"Mallory"}}).status)

	other := b.browser(t)
	other.visited(t, link)
	require.Equal(t, link, other.post(t, link+"/provider", url.Values{"name": {"Mallory"}}).header.Get("Location"),
		"what the provider said belongs to the browser")
	p.claims = map[string]any{"sub": "ada-at-provider", "email": email} // has a user
	require.Contains(t, other.joinsThrough(t, p, link).body, "Sign in once with your password")
	require.Equal(t, link, other.get(t, link+"/provider").header.Get("Location"))

	p.claims = map[string]any{"sub": "grace-at-provider", "email": "grace@example.com"}
	late := b.browser(t)
	late.joinsThrough(t, p, link)
	late.visited(t, link+"/provider")
	postgrestest.Exec(t, b.dsn, `UPDATE invitation SET revoked_at = now()`)
	require.Equal(t, http.StatusGone, late.post(t, link+"/provider", url.Values{"name": {"Grace"}}).status)
	require.Len(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM app_user`), 1, "no user was created")
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM user_identity`))
}
