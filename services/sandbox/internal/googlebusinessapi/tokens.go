package googlebusinessapi

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/services/sandbox/internal/token"
	"socialpub.internal/shared/domain/channel"
)

const (
	// tokenLife is the lifetime of an access token. A refresh token has no end.
	tokenLife = time.Hour - time.Second
	// scopeManage is the scope of all calls.
	scopeManage = "https://www.googleapis.com/auth/business.manage"
)

// refresh returns a new access token. The refresh token and older access tokens stay valid.
func (a *API) refresh(w http.ResponseWriter, r *http.Request) {
	form, err := stage.ReadTokenForm(w, r)
	switch {
	case err != nil:
		oauthError(w, http.StatusBadRequest, "invalid_request", "The form cannot be read.")
		return
	case form.Get("grant_type") != "refresh_token":
		oauthError(w, http.StatusBadRequest, "unsupported_grant_type", "Invalid grant_type: "+form.Get("grant_type"))
		return
	case form.Get("client_id") == "" || form.Get("client_secret") == "":
		oauthError(w, http.StatusBadRequest, "invalid_request", "client_id or client_secret is missing.")
		return
	}
	asked := stage.Refresh{
		Network: channel.NetworkGoogleBusiness, Token: form.Get("refresh_token"), App: form.Get("client_id"),
		Dialect: tokenDialect{}, Refused: refusedRefresh,
	}
	a.stage.Refresh(w, r, asked, func(t stage.Tokens) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"access_token": t.Access, "expires_in": t.ExpiresIn, "scope": strings.Join(t.Scopes, " "),
			"token_type": "Bearer",
		})
	})
}

// refusedRefresh writes Google's response to a refresh token that it does not accept.
func refusedRefresh(w http.ResponseWriter, _ token.Grant, reason error) {
	if errors.Is(reason, token.ErrApp) {
		oauthError(w, http.StatusUnauthorized, "unauthorized_client", "Unauthorized")
		return
	}
	tokenDialect{}.Rejected(w)
}

// tokenDialect writes the error responses of Google's token call.
type tokenDialect struct{}

// Rejected reports that the grant has expired or was revoked.
func (tokenDialect) Rejected(w http.ResponseWriter) {
	oauthError(w, http.StatusBadRequest, "invalid_grant", "Token has been expired or revoked.")
}

// Unauthorized writes the same response as Rejected.
func (d tokenDialect) Unauthorized(w http.ResponseWriter) { d.Rejected(w) }

// RateLimited writes the retry delay in seconds.
func (tokenDialect) RateLimited(w http.ResponseWriter, seconds int) {
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	oauthError(w, http.StatusTooManyRequests, "rate_limit_exceeded", "Rate Limit Exceeded")
}

// Unavailable writes Google's response when the call is down.
func (tokenDialect) Unavailable(w http.ResponseWriter) {
	oauthError(w, http.StatusServiceUnavailable, "internal_failure", "Backend Error")
}

func oauthError(w http.ResponseWriter, status int, code, description string) {
	stage.JSON(w, status, map[string]string{"error": code, "error_description": description})
}
