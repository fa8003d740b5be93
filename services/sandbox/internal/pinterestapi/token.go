package pinterestapi

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

// Lifetimes of tokens. Each exchange returns a refresh token with a new end.
const (
	accessLife  = 30 * 24 * time.Hour
	refreshLife = 60 * 24 * time.Hour
)

// Scopes of the calls that the sandbox has.
const (
	scopeBoards      = "boards:read"
	scopeWriteBoards = "boards:write"
	scopePins        = "pins:read"
	scopeWritePins   = "pins:write"
	scopeAccount     = "user_accounts:read"
)

// Scopes that calls about pins need together.
func readPins() []string { return []string{scopeBoards, scopePins} }

func writePins() []string { return []string{scopeBoards, scopeWriteBoards, scopePins, scopeWritePins} }

// refresh exchanges a refresh token, once. The previous access token stays valid until it expires.
func (a *API) refresh(w http.ResponseWriter, r *http.Request) {
	form, err := stage.ReadTokenForm(w, r)
	if err == nil && form.Get("grant_type") == "authorization_code" {
		a.exchange(w, r, form)
		return
	}
	if err != nil || form.Get("grant_type") != "refresh_token" {
		apiError(w, http.StatusBadRequest, codeInvalid, "The form is not that of a refresh.")
		return
	}
	id, secret, ok := r.BasicAuth()
	if !ok || id == "" || secret == "" {
		dialect{}.Unauthorized(w)
		return
	}
	asked := stage.Refresh{
		Network: channel.NetworkPinterest, Token: form.Get("refresh_token"), App: id, Dialect: dialect{},
	}
	a.stage.Refresh(w, r, asked, func(t stage.Tokens) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"response_type": "refresh_token", "token_type": "bearer",
			"scope":        strings.Join(t.Scopes, " "),
			"access_token": t.Access, "expires_in": t.ExpiresIn,
			"refresh_token": t.Refresh, "refresh_token_expires_in": t.RefreshIn,
			"refresh_token_expires_at": t.RefreshExpiresAt.Unix(),
		})
	})
}

// codeLife is the lifetime of a code.
const codeLife = 10 * time.Minute

// dialog declares the page of Pinterest.
func dialog() stage.Dialog {
	return stage.Dialog{
		Network: channel.NetworkPinterest, Path: "/pinterest/oauth/{$}", Separator: ",", Life: codeLife,
		Role: stage.AnyScope("", scopeBoards, scopeWriteBoards, scopePins, scopeWritePins, scopeAccount),
	}
}

// exchange exchanges a code.
func (a *API) exchange(w http.ResponseWriter, r *http.Request, form url.Values) {
	id, secret, ok := r.BasicAuth()
	if !ok || id == "" || secret == "" || secret == stage.WrongSecret {
		dialect{}.Unauthorized(w)
		return
	}
	a.stage.Exchange(w, r, stage.Exchange{
		Network: channel.NetworkPinterest, Code: form.Get("code"), App: id, Redirect: form.Get("redirect_uri"),
		Dialect: dialect{},
		Refused: func(w http.ResponseWriter, _ error) {
			apiError(w, http.StatusBadRequest, codeInvalid, "The provided authorization code is invalid or expired.")
		},
	}, func(t stage.Tokens) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"response_type": "authorization_code", "token_type": "bearer", "scope": strings.Join(t.Scopes, " "),
			"access_token": t.Access, "expires_in": t.ExpiresIn, "refresh_token": t.Refresh,
			"refresh_token_expires_in": t.RefreshIn, "refresh_token_expires_at": t.RefreshExpiresAt.Unix(),
		})
	})
}

// revoke refuses: Pinterest revokes tokens of system users only, and the sandbox has none.
func (a *API) revoke(w http.ResponseWriter, _ *http.Request) {
	apiError(w, http.StatusBadRequest, codeInvalid, "Only tokens issued for system users are currently supported.")
}
