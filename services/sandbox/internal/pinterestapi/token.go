package pinterestapi

import (
	"mime"
	"net/http"

	"socialpub.internal/services/sandbox/internal/fault"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/services/sandbox/internal/token"
	"socialpub.internal/shared/domain/channel"
)

// Token lifetimes in seconds.
const (
	accessLife  = 2_592_000
	refreshLife = 5_184_000
)

// refresh exchanges a refresh token, once. The previous access token stays valid until it expires.
func (a *API) refresh(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "application/x-www-form-urlencoded" || r.ParseForm() != nil || r.PostForm.Get("grant_type") != "refresh_token" {
		apiError(w, http.StatusBadRequest, codeInvalid, "The form is not that of a refresh.")
		return
	}
	if id, secret, ok := r.BasicAuth(); !ok || id == "" || secret == "" {
		dialect{}.Unauthorized(w)
		return
	}
	grant, ok := token.RefreshToken(r.PostForm.Get("refresh_token"))
	if !ok {
		dialect{}.Unauthorized(w)
		return
	}
	call := stage.Call{Network: channel.NetworkPinterest, Account: grant.Account, Step: fault.StepToken, Grant: grant}
	held, ok := a.stage.Enter(w, r, call, dialect{})
	if !ok {
		return
	}
	next, err := a.stage.Tokens.Rotate(network, grant, true)
	if err != nil {
		dialect{}.Unauthorized(w)
		return
	}
	if held.Lost(w, r) {
		return
	}
	stage.JSON(w, http.StatusOK, map[string]any{
		"response_type": "refresh_token", "token_type": "bearer", "scope": "boards:read boards:write pins:read pins:write user_accounts:read",
		"access_token": token.Mint(network, grant.Account, next), "expires_in": accessLife,
		"refresh_token": token.MintRefresh(grant.Account, next), "refresh_token_expires_in": refreshLife,
		"refresh_token_expires_at": a.stage.Clock.Now().Unix() + refreshLife,
	})
}
