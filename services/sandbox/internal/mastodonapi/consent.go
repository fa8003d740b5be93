package mastodonapi

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const codeLife = 10 * time.Minute

// scopes returns those that the server knows.
func scopes(old bool) []string {
	known := []string{scopeProfile, scopeAccount, scopeRead, scopeWrite, scopeMedia}
	if old {
		return known[1:]
	}
	return known
}

// consents adds the registration of applications, the authorization page and the token calls.
func (a *API) consents(mux *http.ServeMux) {
	a.stage.Authorize(mux, stage.Dialog{
		Network: channel.NetworkMastodon, Path: "/mastodon/oauth/authorize", TakesPKCE: true, Life: codeLife,
		Role: stage.AnyScope("", scopes(false)...), Refuses: a.unknown, Holder: func(r *http.Request, account string) string {
			return holder(hostOf(r), account)
		},
	})
	mux.HandleFunc("GET /mastodon/.well-known/oauth-authorization-server", a.describe)
	mux.HandleFunc("POST /mastodon/api/v1/apps", a.register)
	mux.HandleFunc("POST /mastodon/oauth/token", a.exchange)
	mux.HandleFunc("POST /mastodon/oauth/revoke", a.revoke)
}

// unknown returns the reason why the server does not show its authorization page to an application.
func (a *API) unknown(r *http.Request) string {
	q := r.URL.Query()
	switch app, ok := a.kept.app(hostOf(r), q.Get("client_id")); {
	case !ok:
		return "Client authentication failed due to unknown client."
	case app.Redirect != q.Get("redirect_uri"):
		return "The redirect uri included is not valid."
	default:
		return ""
	}
}

// authentic reports whether the form has the id and the secret of an application of the server.
func (a *API) authentic(r *http.Request, form url.Values) bool {
	app, ok := a.kept.app(hostOf(r), form.Get("client_id"))
	return ok && app.Secret == form.Get("client_secret")
}

// describe publishes the scopes (RFC 8414), which servers do since 4.3.
func (a *API) describe(w http.ResponseWriter, r *http.Request) {
	if old(r) {
		missing(w)
		return
	}
	base := a.base(r)
	stage.JSON(w, http.StatusOK, map[string]any{
		"issuer": base + "/", "authorization_endpoint": base + "/oauth/authorize", "token_endpoint": base + "/oauth/token",
		"revocation_endpoint": base + "/oauth/revoke", "scopes_supported": scopes(false),
		"code_challenge_methods_supported": []string{"S256"}, "app_registration_endpoint": base + "/api/v1/apps",
	})
}

func (a *API) register(w http.ResponseWriter, r *http.Request) {
	form, err := stage.ReadTokenForm(w, r)
	asked := strings.Fields(form.Get("scopes"))
	switch {
	case err != nil || form.Get("client_name") == "" || form.Get("redirect_uris") == "":
		refuse(w, http.StatusUnprocessableEntity, "Validation failed: Application name can't be blank")
		return
	case slices.ContainsFunc(asked, func(scope string) bool { return !slices.Contains(scopes(old(r)), scope) }):
		refuse(w, http.StatusUnprocessableEntity, "Validation failed: Scopes doesn't match configured on the server.")
		return
	}
	made := application{Host: hostOf(r), ID: rand.Text(), Secret: rand.Text(), Redirect: form.Get("redirect_uris")}
	if a.kept.register(made) != nil {
		broken(w)
		return
	}
	stage.JSON(w, http.StatusOK, map[string]any{
		"id": "1", "name": form.Get("client_name"), "redirect_uri": form.Get("redirect_uris"), "client_id": made.ID,
		"client_secret": made.Secret, "scopes": asked,
	})
}

func (a *API) exchange(w http.ResponseWriter, r *http.Request) {
	form, err := stage.ReadTokenForm(w, r)
	wrong := func(status int, code, description string) {
		stage.JSON(w, status, map[string]string{"error": code, "error_description": description})
	}
	switch {
	case err != nil || form.Get("grant_type") != "authorization_code":
		wrong(http.StatusBadRequest, "unsupported_grant_type", "The authorization grant type is not supported.")
		return
	case !a.authentic(r, form):
		wrong(http.StatusUnauthorized, "invalid_client", "Client authentication failed due to unknown client.")
		return
	}
	a.stage.Exchange(w, r, stage.Exchange{
		Network: channel.NetworkMastodon, Code: form.Get("code"), App: form.Get("client_id"),
		Redirect: form.Get("redirect_uri"), Verifier: form.Get("code_verifier"), Dialect: dialect{a},
		Refused: func(http.ResponseWriter, error) {
			wrong(http.StatusBadRequest, "invalid_grant", "The provided authorization grant is invalid, expired, revoked, does "+
				"not match the redirection URI used in the authorization request, or was issued to another client.")
		},
	}, func(t stage.Tokens) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"access_token": t.Access, "token_type": "Bearer", "scope": strings.Join(t.Scopes, " "),
			"created_at": t.IssuedAt.Unix(),
		})
	})
}

func (a *API) revoke(w http.ResponseWriter, r *http.Request) {
	form, err := stage.ReadTokenForm(w, r)
	if err == nil {
		err = a.revokeFor(r, form)
	}
	if err != nil {
		stage.JSON(w, http.StatusForbidden, map[string]string{
			"error": "unauthorized_client", "error_description": "You are not authorized to revoke this token",
		})
		return
	}
	stage.JSON(w, http.StatusOK, map[string]any{})
}

// revokeFor revokes the token of an account of the server for its application.
func (a *API) revokeFor(r *http.Request, form url.Values) error {
	grant, known := a.stage.Tokens.OfAccessToken(network, form.Get("token"))
	if !known || !a.authentic(r, form) || hostOfHolder(grant.Account) != hostOf(r) {
		return token.ErrApp
	}
	return a.stage.Revoke(network, form.Get("token"))
}
