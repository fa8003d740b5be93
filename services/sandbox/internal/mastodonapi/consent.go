package mastodonapi

import (
	"crypto/rand"
	"net/http"
	"strings"
	"sync"
	"time"

	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/domain/channel"
)

const codeLife = 10 * time.Minute

// applications holds the secrets of registered applications, by id. They are lost at the end of the process.
type applications struct {
	mu      sync.Mutex
	secrets map[string]string
}

// consents adds the registration of applications, the authorization page and the token calls.
func (a *API) consents(mux *http.ServeMux) {
	apps := &applications{secrets: make(map[string]string)}
	a.stage.Authorize(mux, stage.Dialog{
		Network: channel.NetworkMastodon, Path: "/mastodon/oauth/authorize", TakesPKCE: true, Life: codeLife,
		Role: stage.AnyScope("", scopeProfile, scopeRead, scopeWrite, scopeMedia),
	})
	mux.HandleFunc("POST /mastodon/api/v1/apps", apps.register)
	mux.HandleFunc("POST /mastodon/oauth/token", func(w http.ResponseWriter, r *http.Request) { a.exchange(w, r, apps) })
	mux.HandleFunc("POST /mastodon/oauth/revoke", a.revoke)
}

func (s *applications) register(w http.ResponseWriter, r *http.Request) {
	form, err := stage.ReadTokenForm(w, r)
	if err != nil || form.Get("client_name") == "" || form.Get("redirect_uris") == "" {
		refuse(w, http.StatusUnprocessableEntity, "Validation failed: Application name can't be blank")
		return
	}
	id, secret := rand.Text(), rand.Text()
	s.mu.Lock()
	s.secrets[id] = secret
	s.mu.Unlock()
	stage.JSON(w, http.StatusOK, map[string]any{
		"id": "1", "name": form.Get("client_name"), "redirect_uri": form.Get("redirect_uris"), "client_id": id,
		"client_secret": secret, "scopes": strings.Fields(form.Get("scopes")),
	})
}

func (s *applications) knows(id, secret string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return id != "" && s.secrets[id] == secret
}

func (a *API) exchange(w http.ResponseWriter, r *http.Request, apps *applications) {
	form, err := stage.ReadTokenForm(w, r)
	wrong := func(status int, code, description string) {
		stage.JSON(w, status, map[string]string{"error": code, "error_description": description})
	}
	switch {
	case err != nil || form.Get("grant_type") != "authorization_code":
		wrong(http.StatusBadRequest, "unsupported_grant_type", "The authorization grant type is not supported.")
		return
	case !apps.knows(form.Get("client_id"), form.Get("client_secret")):
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
	if err != nil || a.stage.Revoke(network, form.Get("token")) != nil {
		refuse(w, http.StatusForbidden, "You are not authorized to revoke this token")
		return
	}
	stage.JSON(w, http.StatusOK, map[string]any{})
}
