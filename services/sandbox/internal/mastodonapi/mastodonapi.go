// Package mastodonapi is the sandbox's Mastodon servers: the calls of the client API that posts need. The server
// mastodon.sandbox.test is under /mastodon, and every other server HOST under /mastodon-at/HOST.
//
// The account acme has the id acme on its server, and HOST/acme in the sandbox's control API. Its token names acme on
// mastodon.sandbox.test, and acme@HOST on another server. A server knows only its own accounts and applications.
package mastodonapi

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const (
	network = string(channel.NetworkMastodon)
	// usual is the server under /mastodon.
	usual = "mastodon.sandbox.test"
	// idBits is the number of bits after the milliseconds in an id.
	idBits = 16
)

// Scopes of Mastodon.
const (
	scopeProfile = "profile" // since 4.3
	scopeAccount = "read:accounts"
	scopeRead    = "read:statuses"
	scopeWrite   = "write:statuses"
	scopeMedia   = "write:media"
	scopeNotices = "read:notifications"
)

// scopes returns those that a server knows.
func scopes(old bool) []string {
	known := []string{scopeProfile, scopeAccount, scopeRead, scopeWrite, scopeMedia, scopeNotices}
	if old {
		return known[1:]
	}
	return known
}

func firstID(now time.Time) int64 { return now.UnixMilli() << idBits }

// Network declares Mastodon. Its tokens have no end.
func Network() stage.Network {
	return stage.Network{
		ID: channel.NetworkMastodon, IDs: ledger.IDs{Floor: firstID},
		Tokens: []token.Policy{{NoRefresh: true, Scopes: scopes(false)}},
		Limits: []stage.Limit{
			{Calls: 300, Window: 5 * time.Minute},
			{Pattern: "POST /mastodon/api/v2/media", Calls: 30, Window: 30 * time.Minute},
		},
		Mount: stage.Stored("mastodon", mount),
	}
}

// record is an uploaded file, the status that an Idempotency-Key created, or an application that is registered at a
// server.
type record struct {
	ID      string       `json:"id"`      // of a key: its name
	Account string       `json:"account"` // of an application: the server
	At      time.Time    `json:"at"`
	Media   ledger.Media `json:"media,omitzero"`
	Status  string       `json:"status,omitempty"`

	Secret, Redirect string
}

// Key returns the id.
func (r record) Key() string { return r.ID }

// api serves the calls.
type api struct {
	stage.Service

	records  *mediastore.Uploads[record]
	creating stage.Locks // by name of the Idempotency-Key
}

func mount(mux *http.ServeMux, s *stage.Stage, records *mediastore.Uploads[record]) {
	a := &api{records: records, Service: stage.Service{
		Stage: s, Network: channel.NetworkMastodon, Prefix: "/mastodon", Words: words(s), Refused: refused,
		Missing: missing(),
		Broken:  refuse(http.StatusInternalServerError, "We're sorry, but something went wrong on our end."),
		Account: func(r stage.Request) string { return accountOf(r.Grant.Account) },
	}}
	a.Token = a.accessToken
	const status = stage.StepStatus
	a.Handle(mux, []stage.Route{
		{Pattern: "POST /api/v1/statuses", Step: stage.StepCommit, Scopes: scopeWrite, Serve: a.create},
		{Pattern: "GET /api/v1/statuses/{id}", Step: status, Scopes: scopeRead, Serve: a.one},
		{Pattern: "GET /api/v1/accounts/verify_credentials", Step: status, Serve: a.own},
		{Pattern: "GET /api/v1/accounts/{id}/statuses", Step: status, Scopes: scopeRead, Serve: a.list},
		{Pattern: "GET /api/v1/media/{id}", Step: status, Scopes: scopeMedia, Serve: a.file},
		{Pattern: "POST /api/v2/media", Step: stage.StepUpload, Scopes: scopeMedia, Serve: a.upload, Files: largestVideo},
		{Pattern: "GET /api/v1/statuses/{id}/context", Step: status, Scopes: scopeRead, Serve: a.thread},
		{Pattern: "GET /api/v1/notifications", Step: status, Scopes: scopeNotices, Serve: a.notifications},
		{Pattern: "GET /api/v2/instance", Step: status, Serve: a.instance},
	})
	s.ToPage(mux, channel.NetworkMastodon, "GET /mastodon/{name}/{id}")
	a.authorizations(mux)
	s.Forums[channel.NetworkMastodon] = forum{a}
	a.other(mux)
}

// words returns the responses to faults. Those to too many calls have the time at which the limit resets.
func words(s *stage.Stage) stage.Words {
	return stage.Words{
		Rejected:     invalid("Text can't be blank"),
		Unauthorized: refuse(http.StatusUnauthorized, "The access token was revoked"),
		Limited:      refuse(http.StatusTooManyRequests, "Too many requests"),
		Unavailable: refuse(http.StatusServiceUnavailable,
			"There was a temporary problem serving your request, please try again"),
		Wait: func(limited stage.Response, seconds int) stage.Response {
			reset := s.Clock.Now().Add(time.Duration(seconds) * time.Second)
			return limited.With("X-Ratelimit-Limit", "300").With("X-Ratelimit-Remaining", "0").
				With("X-Ratelimit-Reset", reset.UTC().Format("2006-01-02T15:04:05.000000Z"))
		},
	}
}

// accessToken returns the token of a call to the server that issued it.
func (a *api) accessToken(r stage.Request) string {
	grant, _ := a.Stage.Tokens.OfAccessToken(network, stage.Bearer(r.Request))
	if !isOf(r.Request, accountOf(grant.Account)) {
		return ""
	}
	return stage.Bearer(r.Request)
}

// refused returns the response to a token that is not accepted.
func refused(_ stage.Request, reason error) stage.Response {
	switch {
	case errors.Is(reason, token.ErrScope):
		return outsideScopes()
	case errors.Is(reason, token.ErrExpired):
		return refuse(http.StatusUnauthorized, "The access token was revoked")
	default:
		return refuse(http.StatusUnauthorized, "The access token is invalid")
	}
}

func outsideScopes() stage.Response {
	return refuse(http.StatusForbidden, "This action is outside the authorized scopes")
}

func invalid(message string) stage.Response {
	return refuse(http.StatusUnprocessableEntity, "Validation failed: "+message)
}

func missing() stage.Response { return refuse(http.StatusNotFound, "Record not found") }

// refuse is Mastodon's error format.
func refuse(status int, message string) stage.Response {
	return stage.Refuse(status, map[string]string{"error": message})
}

type (
	// hostKey marks a call to another server than the usual one.
	hostKey struct{}
	// oldKey marks a call to a server before 4.3, which is the usual one without the scope profile and without the
	// description of its authorization.
	oldKey struct{}
)

func old(r *http.Request) bool { return r.Context().Value(oldKey{}) != nil }

// hostOf returns the server that is called.
func hostOf(r *http.Request) string {
	if host, ok := r.Context().Value(hostKey{}).(string); ok {
		return host
	}
	return usual
}

// other adds the other servers.
func (a *api) other(mux *http.ServeMux) {
	as := func(r *http.Request, key, value any, path string) *http.Request {
		forwarded := r.Clone(context.WithValue(r.Context(), key, value))
		forwarded.URL.Path = "/mastodon/" + path
		return forwarded
	}
	mux.HandleFunc("/mastodon-4.2/{path...}", func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, as(r, oldKey{}, true, r.PathValue("path")))
	})
	mux.HandleFunc("/mastodon-at/{host}/{path...}", func(w http.ResponseWriter, r *http.Request) {
		switch host := r.PathValue("host"); {
		case strings.HasPrefix(host, "down."):
			a.Stage.Cut(w)
		case strings.HasPrefix(host, "www."), host == usual, !strings.Contains(host, "."):
			http.NotFound(w, r) // a site that is not Mastodon
		default:
			mux.ServeHTTP(w, as(r, hostKey{}, host, r.PathValue("path")))
		}
	})
}

// base returns the address of the server that is called.
func (a *api) base(r *http.Request) string {
	if host := hostOf(r); host != usual {
		return a.Stage.Base(r) + "/mastodon-at/" + host
	}
	return a.Stage.Base(r) + "/mastodon"
}

// accountOf returns the name, in the ledger and in the control API, of the account with this name in its tokens.
func accountOf(holder string) string {
	if name, host, other := strings.Cut(holder, "@"); other {
		return host + "/" + name
	}
	return usual + "/" + holder
}

// nameOf returns the name of the account on its server.
func nameOf(account string) string { return account[strings.IndexByte(account, '/')+1:] }

// isOf reports whether the account is one of the server that is called.
func isOf(r *http.Request, account string) bool { return strings.HasPrefix(account, hostOf(r)+"/") }

// authorizations adds the registration of applications, the authorization page and the token calls.
func (a *api) authorizations(mux *http.ServeMux) {
	a.Stage.AuthorizationServer(mux, stage.Authorization{
		Dialog: stage.Dialog{
			Network: channel.NetworkMastodon, Path: "/mastodon/oauth/authorize", TakesPKCE: true, Life: 10 * time.Minute,
			Refuses: a.unknown, Holder: func(r *http.Request, account string) string {
				if hostOf(r) == usual {
					return account
				}
				return account + "@" + hostOf(r)
			},
		},
		Tokens: map[string]string{"POST /mastodon/oauth/token": stage.GrantCode}, Words: a.Words,
		Client: func(r *http.Request, form url.Values) (string, error) {
			app, ok := a.application(r, form)
			if !ok || app.Secret != form.Get("client_secret") {
				return "", stage.ErrCredentials
			}
			return app.ID, nil
		},
		Body: func(t stage.Tokens) any {
			return stage.Object{
				"access_token": t.Access, "token_type": "Bearer", "scope": strings.Join(t.Scopes, " "),
				"created_at": t.IssuedAt.Unix(),
			}
		},
		Refusals: map[error]stage.Response{
			stage.ErrGrantType: stage.OAuthError(http.StatusBadRequest, "unsupported_grant_type",
				"The authorization grant type is not supported."),
			stage.ErrCredentials: stage.OAuthError(http.StatusUnauthorized, "invalid_client",
				"Client authentication failed due to unknown client."),
			stage.ErrCode: stage.OAuthError(http.StatusBadRequest, "invalid_grant", "The provided authorization grant is "+
				"invalid, expired, revoked, does not match the redirection URI used in the authorization request, "+
				"or was issued to another client."),
		},
	})
	for pattern, serve := range map[string]func(*http.Request, url.Values, error) stage.Response{
		"GET /mastodon/.well-known/oauth-authorization-server": a.describe,
		"POST /mastodon/api/v1/apps":                           a.register,
		"POST /mastodon/oauth/revoke":                          a.revoke,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			form, err := stage.ReadTokenForm(w, r)
			serve(r, form, err).Write(w)
		})
	}
}

// application returns the application of the server that a request names.
func (a *api) application(r *http.Request, values url.Values) (record, bool) {
	app, ok := a.records.Get(values.Get("client_id"))
	return app, ok && app.Account == hostOf(r) && app.Secret != ""
}

// unknown returns the reason why the server does not show its authorization page to an application.
func (a *api) unknown(r *http.Request) string {
	q := r.URL.Query()
	app, ok := a.application(r, q)
	return stage.If(!ok, "Client authentication failed due to unknown client.").
		Or(app.Redirect != q.Get("redirect_uri"), "The redirect uri included is not valid.").Fault
}

// describe publishes the scopes (RFC 8414), which servers do since 4.3.
func (a *api) describe(r *http.Request, _ url.Values, _ error) stage.Response {
	if old(r) {
		return missing()
	}
	base := a.base(r)
	return stage.OK(stage.Object{
		"issuer": base + "/", "authorization_endpoint": base + "/oauth/authorize", "token_endpoint": base + "/oauth/token",
		"revocation_endpoint": base + "/oauth/revoke", "scopes_supported": scopes(false),
		"code_challenge_methods_supported": []string{"S256"}, "app_registration_endpoint": base + "/api/v1/apps",
	})
}

func (a *api) register(r *http.Request, form url.Values, err error) stage.Response {
	requested := strings.Fields(form.Get("scopes"))
	app := record{ID: rand.Text(), Account: hostOf(r), Secret: rand.Text(), Redirect: form.Get("redirect_uris")}
	switch {
	case err != nil || form.Get("client_name") == "" || app.Redirect == "":
		return invalid("Application name can't be blank")
	case slices.ContainsFunc(requested, func(scope string) bool { return !slices.Contains(scopes(old(r)), scope) }):
		return invalid("Scopes doesn't match configured on the server.")
	}
	return a.After(a.records.Keep(app), stage.OK(stage.Object{
		"id": "1", "name": form.Get("client_name"), "redirect_uri": app.Redirect, "client_id": app.ID,
		"client_secret": app.Secret, "scopes": requested,
	}))
}

// revoke revokes the token of an account of the server for its application.
func (a *api) revoke(r *http.Request, form url.Values, err error) stage.Response {
	app, ok := a.application(r, form)
	grant, known := a.Stage.Tokens.OfAccessToken(network, form.Get("token"))
	if err != nil || !ok || app.Secret != form.Get("client_secret") || !known || !isOf(r, accountOf(grant.Account)) ||
		a.Stage.Revoke(network, form.Get("token")) != nil {
		return stage.OAuthError(http.StatusForbidden, "unauthorized_client", "You are not authorized to revoke this token")
	}
	return stage.OK(stage.Object{})
}
