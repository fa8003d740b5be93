package authserver_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

const (
	issuer   = "https://api.example.com"
	tools    = "https://mcp.example.com/mcp"
	callback = "https://app.example.com/cb"
)

func verifier() string { return strings.Repeat("verifier-", 6) }

func challenge() string {
	sum := sha256.Sum256([]byte(verifier()))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// web is a fake network with the addresses of published clients.
type web struct {
	mu    sync.Mutex
	pages map[string]*egress.Response
	read  []egress.Request
}

func (w *web) Do(_ context.Context, request egress.Request) (*egress.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read = append(w.read, request)
	if page := w.pages[request.URL]; page != nil {
		return page, nil
	}
	return nil, &egress.Error{Class: egress.ClassDNS}
}

func (w *web) put(address, body string, header http.Header) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if header == nil {
		header = http.Header{"Content-Type": {"application/json"}}
	}
	w.pages[address] = &egress.Response{Status: http.StatusOK, Header: header, Body: []byte(body)}
}

type bundle struct {
	*authserver.Server
	clock     *clocktest.Fake
	web       *web
	dsn       string
	db        *postgres.DB
	users     *postgres.Users
	person    user.User
	workspace workspace.Workspace
	client    oauth.Client
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{
		clock: clocktest.New(time.Now().UTC().Truncate(time.Millisecond)), web: &web{pages: map[string]*egress.Response{}},
	}
	b.db, b.dsn = postgrestest.OpenURL(t)
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	box, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	b.Server, err = authserver.New(authserver.Config{
		DB: b.db, Keyring: box, Issuer: issuer, Resources: []string{issuer, tools}, Fetch: b.web, Clock: b.clock,
		Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	b.users = postgres.NewUsers(b.db)
	b.person, b.workspace = b.someone(t, "ada@example.com"), b.tenant(t, "Acme")
	require.NoError(t, b.users.Join(t.Context(), b.person.ID, b.workspace.ID, member.Owner, b.clock.Now()))
	registered, err := b.Register(t.Context(), []byte(`{"client_name":"Planner","redirect_uris":["`+callback+
		`"],"token_endpoint_auth_method":"none"}`))
	require.NoError(t, err)
	require.Empty(t, registered.Secret)
	b.client = registered.Client
	return b
}

func (b *bundle) someone(t *testing.T, address email.Address) user.User {
	t.Helper()
	u := user.User{ID: ident.New[ident.User](), Email: address, Name: "Ada", PasswordHash: "x", CreatedAt: b.clock.Now()}
	inserted, err := b.users.Insert(t.Context(), u)
	require.NoError(t, err)
	require.True(t, inserted)
	return u
}

func (b *bundle) tenant(t *testing.T, name string) workspace.Workspace {
	t.Helper()
	w := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: name, Plan: workspace.Growth, Timezone: "UTC", CreatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewWorkspaces(b.db).Insert(t.Context(), w))
	return w
}

// form returns v with changes: "name=value" sets a parameter, "name" deletes it.
func form(v url.Values, changes ...string) url.Values {
	for _, change := range changes {
		if name, value, set := strings.Cut(change, "="); set {
			v.Set(name, value)
		} else {
			v.Del(name)
		}
	}
	return v
}

func (b *bundle) asks(changes ...string) url.Values {
	return form(url.Values{
		"client_id": {b.client.ID}, "redirect_uri": {callback}, "response_type": {"code"}, "state": {"s"},
		"code_challenge":        {challenge()},
		"code_challenge_method": {"S256"}, "scope": {"posts:write posts:publish"}, "resource": {tools},
	}, changes...)
}

// started requests authorization and returns the handle for the user's decision.
func (b *bundle) started(t *testing.T, changes ...string) string {
	t.Helper()
	started, err := b.Authorize(t.Context(), b.asks(changes...))
	require.NoError(t, err)
	require.Nil(t, started.Back)
	return started.Handle
}

func (b *bundle) allows(scopes ...credential.Scope) authserver.Decision {
	return authserver.Decision{UserID: b.person.ID, WorkspaceID: b.workspace.ID, Scopes: scopes}
}

// code runs the flow up to the code.
func (b *bundle) code(t *testing.T, changes ...string) string {
	t.Helper()
	back, err := b.Allow(t.Context(), b.started(t, changes...), b.allows(credential.PostsWrite, credential.PostsPublish))
	require.NoError(t, err)
	require.Equal(t, issuer, back.Query().Get("iss"))
	require.Equal(t, "s", back.Query().Get("state"))
	return back.Query().Get("code")
}

func (b *bundle) redeems(code string, changes ...string) url.Values {
	return form(url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callback}, "client_id": {b.client.ID},
		"code_verifier": {verifier()},
	}, changes...)
}

func (b *bundle) refreshes(token string, changes ...string) url.Values {
	return form(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {b.client.ID}},
		changes...)
}

// tokens runs the whole flow.
func (b *bundle) tokens(t *testing.T) authserver.Tokens {
	t.Helper()
	tokens, err := b.Token(t.Context(), b.redeems(b.code(t)), nil)
	require.NoError(t, err)
	return tokens
}

func (b *bundle) valid(t *testing.T, token string) bool {
	t.Helper()
	_, _, err := b.Authenticate(t.Context(), token)
	if err != nil {
		require.True(t, apperr.Is(err, apperr.Unauthenticated), "%v", err)
	}
	return err == nil
}

func refused(t *testing.T, err error, want oauth.ErrorCode) {
	t.Helper()
	var failure *oauth.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, want, failure.Code, failure.Description)
}

func TestAuthorizationCodeFlow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	handle := b.started(t)
	requested, err := b.Requested(t.Context(), handle)
	require.NoError(t, err)
	require.Equal(t, "Planner", requested.Client.Title())
	require.Equal(t, "app.example.com", requested.Client.Host())
	require.Equal(t, tools, requested.Request.Resource)
	back, err := b.Allow(t.Context(), handle, b.allows(credential.PostsWrite))
	require.NoError(t, err)
	tokens, err := b.Token(t.Context(), b.redeems(back.Query().Get("code"), "resource="+tools), nil)
	require.NoError(t, err)
	require.Equal(t, time.Hour, tokens.ExpiresIn)
	require.Equal(t, []credential.Scope{credential.PostsWrite}, tokens.Scopes,
		"what the person allowed, not what was asked for")
	access, plan, err := b.Authenticate(t.Context(), tokens.Access)
	require.NoError(t, err)
	require.Equal(t, workspace.Growth, plan)
	require.Equal(t, tools, access.Grant.Resource)
	require.Equal(t, b.workspace.ID, access.Grant.WorkspaceID)
	require.True(t, access.Allows(credential.PostsWrite))
	require.False(t, access.Allows(credential.PostsPublish))
	b.clock.Advance(time.Hour)
	require.False(t, b.valid(t, tokens.Access), "an hour is over")
	for _, query := range []string{
		"oauth_access_token", "oauth_refresh_token", "oauth_code", "oauth_request", "oauth_client", "oauth_grant",
	} {
		for _, row := range postgrestest.Column(t, b.dsn, `SELECT x::text FROM `+query+` x`) {
			for _, secret := range []string{tokens.Access, tokens.Refresh, handle, back.Query().Get("code")} {
				require.NotContains(t, row, secret)
			}
		}
	}
}

func TestConsentIsDecidedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.tenant(t, "Other")
	handle := b.started(t)
	for _, wrong := range []authserver.Decision{
		{UserID: b.person.ID, WorkspaceID: other.ID, Scopes: []credential.Scope{credential.PostsWrite}},
		{UserID: ident.New[ident.User](), WorkspaceID: b.workspace.ID, Scopes: []credential.Scope{credential.PostsWrite}},
		b.allows(), b.allows(credential.PostsWrite, credential.MediaWrite),
	} {
		_, err := b.Allow(t.Context(), handle, wrong)
		require.True(t, apperr.Is(err, apperr.NotFound) || apperr.Is(err, apperr.ValidationFailed), "%v", err)
	}
	back, err := b.Deny(t.Context(), handle)
	require.NoError(t, err, "what was refused above used nothing up")
	require.Equal(t, "access_denied", back.Query().Get("error"))
	require.Equal(t, issuer, back.Query().Get("iss"))
	for _, gone := range []string{handle, "x", credential.AuthorizationRequest.New()} {
		_, err = b.Requested(t.Context(), gone)
		require.True(t, apperr.Is(err, apperr.NotFound))
		_, err = b.Allow(t.Context(), gone, b.allows(credential.PostsWrite))
		require.True(t, apperr.Is(err, apperr.NotFound))
		_, err = b.Deny(t.Context(), gone)
		require.True(t, apperr.Is(err, apperr.NotFound))
	}
	late := b.started(t)
	b.clock.Advance(oauth.RequestLife)
	_, err = b.Allow(t.Context(), late, b.allows(credential.PostsWrite))
	require.True(t, apperr.Is(err, apperr.NotFound))
}

func TestAuthorizationErrorDestinations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, eyes := range []string{
		"client_id", "client_id=unknown", "client_id=http://app.example.com/c.json", "redirect_uri=https://evil.test/cb",
		"redirect_uri",
	} {
		started, err := b.Authorize(t.Context(), b.asks(eyes))
		var failure *oauth.Error
		require.ErrorAs(t, err, &failure, eyes)
		require.Nil(t, started.Back, eyes)
	}
	for _, got := range []string{
		"response_type=token", "code_challenge_method=plain", "scope=admin", "resource=https://other.test",
	} {
		started, err := b.Authorize(t.Context(), b.asks(got))
		require.NoError(t, err)
		require.Empty(t, started.Handle)
		require.Equal(t, "app.example.com", started.Back.Host)
		require.NotEmpty(t, started.Back.Query().Get("error"))
		require.Equal(t, issuer, started.Back.Query().Get("iss"))
		require.Equal(t, "s", started.Back.Query().Get("state"))
	}
}

func TestCodeIsUsedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	code := b.code(t)
	tokens, err := b.Token(t.Context(), b.redeems(code), nil)
	require.NoError(t, err)
	require.True(t, b.valid(t, tokens.Access))
	_, err = b.Token(t.Context(), b.redeems(code), nil)
	refused(t, err, oauth.InvalidGrant)
	require.False(t, b.valid(t, tokens.Access), "another client has the code")
	_, err = b.Token(t.Context(), b.refreshes(tokens.Refresh), nil)
	refused(t, err, oauth.InvalidGrant)

	for _, wrong := range []string{
		"code_verifier=" + strings.Repeat("x", 50), "code_verifier", "redirect_uri=" + callback + "/", "redirect_uri",
		"resource=" + issuer,
	} {
		code := b.code(t)
		_, err := b.Token(t.Context(), b.redeems(code, wrong), nil)
		require.Error(t, err, wrong)
		_, err = b.Token(t.Context(), b.redeems(code), nil)
		refused(t, err, oauth.InvalidGrant)
	}
	late := b.code(t)
	b.clock.Advance(oauth.CodeLife)
	_, err = b.Token(t.Context(), b.redeems(late), nil)
	refused(t, err, oauth.InvalidGrant)
	for _, unknown := range []string{"", "x", credential.AuthorizationCode.New()} {
		_, err = b.Token(t.Context(), b.redeems(unknown), nil)
		refused(t, err, oauth.InvalidGrant)
	}
}

func TestCodeIsBoundToClient(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other, err := b.Register(t.Context(), []byte(`{"redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`))
	require.NoError(t, err)
	_, err = b.Token(t.Context(), b.redeems(b.code(t), "client_id="+other.Client.ID), nil)
	refused(t, err, oauth.InvalidGrant)
	tokens := b.tokens(t)
	_, err = b.Token(t.Context(), b.refreshes(tokens.Refresh, "client_id="+other.Client.ID), nil)
	refused(t, err, oauth.InvalidGrant)
	require.NoError(t, b.Revoke(t.Context(), url.Values{"client_id": {other.Client.ID}, "token": {tokens.Access}}, nil))
	require.True(t, b.valid(t, tokens.Access), "another client ends nothing")
}

func TestConcurrentRedemptionsSucceedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	code := b.code(t)
	var group sync.WaitGroup
	results := make(chan authserver.Tokens, 8)
	for range cap(results) {
		group.Go(func() {
			if tokens, err := b.Token(t.Context(), b.redeems(code), nil); err == nil {
				results <- tokens
			}
		})
	}
	group.Wait()
	require.Len(t, results, 1)
}

func TestRefreshTokensRotate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.tokens(t)
	second, err := b.Token(t.Context(), b.refreshes(first.Refresh), nil)
	require.NoError(t, err)
	require.NotEqual(t, first.Refresh, second.Refresh)
	b.clock.Advance(oauth.RefreshGrace - time.Second)
	again, err := b.Token(t.Context(), b.refreshes(first.Refresh), nil)
	require.NoError(t, err, "the client did not hear the answer")
	require.Equal(t, second.Refresh, again.Refresh)
	require.Equal(t, second.Access, again.Access)
	require.Equal(t, oauth.AccessTokenLife-oauth.RefreshGrace+time.Second, again.ExpiresIn)
	require.True(t, b.valid(t, second.Access))
	_, err = b.Token(t.Context(), b.refreshes(first.Refresh), nil)
	refused(t, err, oauth.InvalidGrant)
	require.False(t, b.valid(t, second.Access), "the response was received: another client has the old token")
	_, err = b.Token(t.Context(), b.refreshes(second.Refresh), nil)
	refused(t, err, oauth.InvalidGrant)

	first = b.tokens(t)
	second, err = b.Token(t.Context(), b.refreshes(first.Refresh, "scope=posts:write"), nil)
	require.NoError(t, err)
	require.Equal(t, []credential.Scope{credential.PostsWrite}, second.Scopes)
	third, err := b.Token(t.Context(), b.refreshes(second.Refresh), nil)
	require.NoError(t, err)
	require.Len(t, third.Scopes, 2, "the grant is as wide as it was")
	_, err = b.Token(t.Context(), b.refreshes(third.Refresh, "scope=media:write"), nil)
	refused(t, err, oauth.InvalidScope)
	_, err = b.Token(t.Context(), b.refreshes(third.Refresh, "resource="+issuer), nil)
	refused(t, err, oauth.InvalidTarget)
	fourth, err := b.Token(t.Context(), b.refreshes(third.Refresh), nil)
	require.NoError(t, err, "what was refused used nothing up")
	b.clock.Advance(oauth.RefreshTokenLife)
	_, err = b.Token(t.Context(), b.refreshes(fourth.Refresh), nil)
	refused(t, err, oauth.InvalidGrant)
}

func TestConcurrentRefreshesReturnSameTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.tokens(t)
	var group sync.WaitGroup
	results := make(chan authserver.Tokens, 8)
	for range cap(results) {
		group.Go(func() {
			if tokens, err := b.Token(t.Context(), b.refreshes(first.Refresh), nil); err == nil {
				results <- tokens
			}
		})
	}
	group.Wait()
	close(results)
	seen := map[string]bool{}
	for tokens := range results {
		seen[tokens.Refresh] = true
	}
	require.Len(t, seen, 1)
}

func TestRevocation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ask := func(token string) url.Values {
		return url.Values{"client_id": {b.client.ID}, "token": {token}, "token_type_hint": {"nonsense"}}
	}
	for range 2 {
		tokens := b.tokens(t)
		require.NoError(t, b.Revoke(t.Context(), ask(tokens.Refresh), nil))
		require.False(t, b.valid(t, tokens.Access))
		require.NoError(t, b.Revoke(t.Context(), ask(tokens.Refresh), nil))
		tokens = b.tokens(t)
		require.NoError(t, b.Revoke(t.Context(), ask(tokens.Access), nil))
		_, err := b.Token(t.Context(), b.refreshes(tokens.Refresh), nil)
		refused(t, err, oauth.InvalidGrant)
	}
	for _, unknown := range []string{"x", credential.AccessToken.New(), credential.APIKey.New()} {
		require.NoError(t, b.Revoke(t.Context(), ask(unknown), nil))
	}
	refused(t, b.Revoke(t.Context(), ask(""), nil), oauth.InvalidRequest)
	refused(t, b.Revoke(t.Context(), url.Values{"token": {"x"}}, nil), oauth.InvalidClient)
	refused(t, b.Revoke(t.Context(), url.Values{"token": {"x", "y"}, "client_id": {b.client.ID}}, nil),
		oauth.InvalidRequest)
}

func TestClientAuthentication(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, method := range []oauth.AuthMethod{oauth.AuthBasic, oauth.AuthPost} {
		registered, err := b.Register(t.Context(), []byte(`{"redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"`+
			string(method)+`"}`))
		require.NoError(t, err)
		b.client = registered.Client
		basic := &authserver.Basic{ID: b.client.ID, Secret: registered.Secret}
		post := "client_secret=" + registered.Secret
		attempts := map[bool][]func(string) (authserver.Tokens, error){
			method == oauth.AuthBasic: {func(code string) (authserver.Tokens, error) {
				return b.Token(t.Context(), b.redeems(code, "client_id"), basic)
			}},
			method == oauth.AuthPost: {
				func(code string) (authserver.Tokens, error) { return b.Token(t.Context(), b.redeems(code, post), nil) },
			},
		}
		attempts[false] = append(attempts[false],
			func(code string) (authserver.Tokens, error) { return b.Token(t.Context(), b.redeems(code), nil) },
			func(code string) (authserver.Tokens, error) {
				return b.Token(t.Context(), b.redeems(code, post), basic)
			},
			func(code string) (authserver.Tokens, error) {
				return b.Token(t.Context(), b.redeems(code),
					&authserver.Basic{ID: b.client.ID, Secret: credential.ClientSecret.New()})
			},
			func(code string) (authserver.Tokens, error) {
				return b.Token(t.Context(), b.redeems(code, "client_id=other"), basic)
			})
		for right, methods := range attempts {
			for _, way := range methods {
				_, err := way(b.code(t))
				require.Equal(t, right, err == nil, "%s: %v", method, err)
			}
		}
		tokens, err := attempts[true][0](b.code(t))
		require.NoError(t, err)
		b.introspects(t, registered, tokens)
	}
}

func (b *bundle) introspects(t *testing.T, registered authserver.Registration, tokens authserver.Tokens) {
	t.Helper()
	ask := func(token string) (authserver.Introspection, error) {
		if registered.Client.AuthMethod == oauth.AuthBasic {
			return b.Introspect(t.Context(), url.Values{"token": {token}},
				&authserver.Basic{ID: registered.Client.ID, Secret: registered.Secret})
		}
		return b.Introspect(t.Context(), url.Values{
			"token": {token}, "client_id": {registered.Client.ID}, "client_secret": {registered.Secret},
		}, nil)
	}
	found, err := ask(tokens.Access)
	require.NoError(t, err)
	require.True(t, found.Active)
	require.Equal(t, tools, found.Access.Grant.Resource)
	for _, inactive := range []string{"x", tokens.Refresh, credential.APIKey.New(), credential.AccessToken.New()} {
		found, err = ask(inactive)
		require.NoError(t, err)
		require.Equal(t, authserver.Introspection{}, found)
	}
}

func TestPublicClientCannotIntrospect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.Introspect(t.Context(), url.Values{"token": {b.tokens(t).Access}, "client_id": {b.client.ID}}, nil)
	refused(t, err, oauth.InvalidClient)
}

func TestDisabledUserLosesTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.tokens(t)
	require.True(t, b.valid(t, tokens.Access))
	postgrestest.Exec(t, b.dsn, `UPDATE app_user SET disabled_at = now()`)
	require.False(t, b.valid(t, tokens.Access))
	_, err := b.Token(t.Context(), b.refreshes(tokens.Refresh), nil)
	refused(t, err, oauth.InvalidGrant)
	postgrestest.Exec(t, b.dsn, `UPDATE app_user SET disabled_at = NULL`)
	require.True(t, b.valid(t, tokens.Access))
	postgrestest.Exec(t, b.dsn, `DELETE FROM workspace_member`)
	require.False(t, b.valid(t, tokens.Access))
}

func TestUnusedRegistrationsAreDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.tokens(t)
	unused, err := b.Register(t.Context(), []byte(`{"redirect_uris":["`+callback+`"]}`))
	require.NoError(t, err)
	b.clock.Advance(oauth.UnusedClientLife)
	_, err = b.Authorize(t.Context(), b.asks("client_id="+unused.Client.ID))
	refused(t, err, oauth.InvalidClient)
	b.started(t)
	require.NoError(t, b.Sweep(t.Context(), b.clock.Now().Add(time.Minute)))
	remaining := postgrestest.Column(t, b.dsn, `SELECT id FROM oauth_client`)
	require.NotContains(t, remaining, unused.Client.ID)
	_, err = b.Register(t.Context(), []byte(`{"redirect_uris":["http://evil.test/"]}`))
	refused(t, err, oauth.InvalidRedirectURI)
	_, err = b.Register(t.Context(), []byte(`x`))
	refused(t, err, oauth.InvalidClientMetadata)
}

// TestClientsWithoutGrantsExpire checks that a client's expiry restarts when its last grant is gone.
func TestClientsWithoutGrantsExpire(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.tokens(t)
	later := func(d time.Duration) (clients []string) {
		b.clock.Advance(d)
		require.NoError(t, b.Sweep(t.Context(), b.clock.Now()))
		return postgrestest.Column(t, b.dsn, `SELECT id FROM oauth_client`)
	}
	require.Len(t, later(oauth.RefreshTokenLife+48*time.Hour), 1)
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM oauth_grant`))
	require.Len(t, later(oauth.UnusedClientLife-time.Second), 1)
	b.tokens(t)
	require.Len(t, later(time.Hour), 1, "the client is in use again")
	require.Len(t, later(oauth.RefreshTokenLife+48*time.Hour), 1)
	require.Empty(t, later(oauth.UnusedClientLife+time.Second))
}

func TestSweepKeepsValidData(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.tokens(t)
	second, err := b.Token(t.Context(), b.refreshes(first.Refresh), nil)
	require.NoError(t, err)
	b.started(t)
	b.clock.Advance(oauth.RequestLife)
	b.started(t)
	require.NoError(t, b.Sweep(t.Context(), b.clock.Now().Add(time.Second)))
	require.Len(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM oauth_request`), 1, "anybody can make them")
	b.clock.Advance(48 * time.Hour)
	require.NoError(t, b.Sweep(t.Context(), b.clock.Now()))
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM oauth_access_token`))
	_, err = b.Token(t.Context(), b.refreshes(first.Refresh), nil)
	refused(t, err, oauth.InvalidGrant)
	_, err = b.Token(t.Context(), b.refreshes(second.Refresh), nil)
	refused(t, err, oauth.InvalidGrant) // the second use of the first token was detected
}
