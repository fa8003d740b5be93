package mastodonapi

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"time"

	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/domain/channel"
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
		Role: stage.AnyScope("", scopes(false)...),
	})
	mux.HandleFunc("GET /mastodon/.well-known/oauth-authorization-server", a.describe)
	mux.HandleFunc("POST /mastodon/api/v1/apps", a.register)
	mux.HandleFunc("POST /mastodon/oauth/token", a.exchange)
	mux.HandleFunc("POST /mastodon/oauth/revoke", a.revoke)
}

// describe publishes the scopes (RFC 8414), which servers do since 4.3.
func (a *API) describe(w http.ResponseWriter, r *http.Request) {
	if old(r) {
		missing(w)
		return
	}
	base := a.stage.Base(r) + "/mastodon"
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
	made := application{rand.Text(), rand.Text()}
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
	case !a.kept.knows(form.Get("client_id"), form.Get("client_secret")):
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
	if err != nil || !a.kept.knows(form.Get("client_id"), form.Get("client_secret")) ||
		a.stage.Revoke(network, form.Get("token")) != nil {
		stage.JSON(w, http.StatusForbidden, map[string]string{
			"error": "unauthorized_client", "error_description": "You are not authorized to revoke this token",
		})
		return
	}
	stage.JSON(w, http.StatusOK, map[string]any{})
}
