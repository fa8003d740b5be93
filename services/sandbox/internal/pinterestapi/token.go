package pinterestapi

import (
	"net/http"

	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/domain/channel"
)

// Token lifetimes in seconds.
const (
	accessLife  = 2_592_000
	refreshLife = 5_184_000
)

// refresh exchanges a refresh token, once. The previous access token stays valid until it expires.
func (a *API) refresh(w http.ResponseWriter, r *http.Request) {
	form, err := stage.ReadTokenForm(w, r)
	if err != nil || form.Get("grant_type") != "refresh_token" {
		apiError(w, http.StatusBadRequest, codeInvalid, "The form is not that of a refresh.")
		return
	}
	if id, secret, ok := r.BasicAuth(); !ok || id == "" || secret == "" {
		dialect{}.Unauthorized(w)
		return
	}
	asked := stage.Refresh{
		Network: channel.NetworkPinterest, Token: form.Get("refresh_token"), Rotates: true, Dialect: dialect{},
	}
	a.stage.Refresh(w, r, asked, func(t stage.Tokens) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"response_type": "refresh_token", "token_type": "bearer",
			"scope":        "boards:read boards:write pins:read pins:write user_accounts:read",
			"access_token": t.Access, "expires_in": accessLife,
			"refresh_token": t.Refresh, "refresh_token_expires_in": refreshLife,
			"refresh_token_expires_at": a.stage.Clock.Now().Unix() + refreshLife,
		})
	})
}
