package linkedinapi

import (
	"net/http"

	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/domain/channel"
)

// refresh returns a new access token. The refresh token stays the same.
func (a *API) refresh(w http.ResponseWriter, r *http.Request) {
	form, err := stage.ReadTokenForm(w, r)
	if err != nil || form.Get("grant_type") != "refresh_token" {
		oauthError(w, http.StatusBadRequest, "invalid_request", "A required parameter \"grant_type\" is missing")
		return
	}
	if form.Get("client_id") == "" || form.Get("client_secret") == "" {
		oauthError(w, http.StatusUnauthorized, "invalid_client", "Client authentication failed")
		return
	}
	asked := stage.Refresh{Network: channel.NetworkLinkedIn, Token: form.Get("refresh_token"), Dialect: tokenDialect{}}
	a.stage.Refresh(w, r, asked, func(t stage.Tokens) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"access_token": t.Access, "expires_in": 5_184_000, "scope": "openid,profile,w_member_social",
			"refresh_token": asked.Token, "refresh_token_expires_in": 31_536_000,
		})
	})
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
