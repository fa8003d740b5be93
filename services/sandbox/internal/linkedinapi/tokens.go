package linkedinapi

import (
	"net/http"

	"socialpub.internal/services/sandbox/internal/fault"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/services/sandbox/internal/token"
	"socialpub.internal/shared/domain/channel"
)

// refresh returns a new access token. The refresh token stays the same.
func (a *API) refresh(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	if err := r.ParseForm(); err != nil || r.PostForm.Get("grant_type") != "refresh_token" {
		oauthError(w, http.StatusBadRequest, "invalid_request", "A required parameter \"grant_type\" is missing")
		return
	}
	if r.PostForm.Get("client_id") == "" || r.PostForm.Get("client_secret") == "" {
		oauthError(w, http.StatusUnauthorized, "invalid_client", "Client authentication failed")
		return
	}
	grant, ok := token.RefreshToken(r.PostForm.Get("refresh_token"))
	if !ok {
		tokenDialect{}.Rejected(w)
		return
	}
	call := stage.Call{Network: channel.NetworkLinkedIn, Account: grant.Account, Step: fault.StepToken, Grant: grant}
	held, ok := a.stage.Enter(w, r, call, tokenDialect{})
	if !ok {
		return
	}
	next, err := a.stage.Tokens.Rotate(network, grant, false)
	if err != nil {
		dialect{}.Unavailable(w)
		return
	}
	if !held.Lost(w, r) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"access_token": token.Mint(network, grant.Account, next), "expires_in": 5_184_000, "scope": "openid,profile,w_member_social",
			"refresh_token": r.PostForm.Get("refresh_token"), "refresh_token_expires_in": 31_536_000,
		})
	}
}

// tokenDialect writes the error responses of LinkedIn's token call.
type tokenDialect struct{ dialect }

// Rejected reports that the refresh token is no longer valid.
func (tokenDialect) Rejected(w http.ResponseWriter) {
	oauthError(w, http.StatusBadRequest, "invalid_grant", "The provided refresh token is invalid, expired or revoked")
}

// Unauthorized writes the same response as Rejected.
func (d tokenDialect) Unauthorized(w http.ResponseWriter) { d.Rejected(w) }

func oauthError(w http.ResponseWriter, status int, code, description string) {
	stage.JSON(w, status, map[string]string{"error": code, "error_description": description})
}
