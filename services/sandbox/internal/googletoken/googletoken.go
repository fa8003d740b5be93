// Package googletoken simulates the part of Google's token call that its networks share.
package googletoken

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/services/sandbox/internal/token"
	"socialpub.internal/shared/domain/channel"
)

// Life is the lifetime of an access token. A refresh token has no end.
const Life = time.Hour - time.Second

// Refresh responds to the valid form of a refresh with a new access token. The refresh token and older access tokens
// stay valid.
func Refresh(w http.ResponseWriter, r *http.Request, s *stage.Stage, network channel.Network, form url.Values) {
	asked := stage.Refresh{
		Network: network, Token: form.Get("refresh_token"), App: form.Get("client_id"), Dialect: dialect{},
		Refused: refused,
	}
	s.Refresh(w, r, asked, func(t stage.Tokens) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"access_token": t.Access, "expires_in": t.ExpiresIn, "scope": strings.Join(t.Scopes, " "),
			"token_type": "Bearer",
		})
	})
}

// refused writes Google's response to a refresh token that it does not accept.
func refused(w http.ResponseWriter, _ token.Grant, reason error) {
	if errors.Is(reason, token.ErrApp) {
		Error(w, http.StatusUnauthorized, "unauthorized_client", "Unauthorized")
		return
	}
	dialect{}.Rejected(w)
}

// dialect writes the error responses of Google's token call.
type dialect struct{}

// Rejected reports that the grant has expired or was revoked.
func (dialect) Rejected(w http.ResponseWriter) {
	Error(w, http.StatusBadRequest, "invalid_grant", "Token has been expired or revoked.")
}

// Unauthorized writes the same response as Rejected.
func (d dialect) Unauthorized(w http.ResponseWriter) { d.Rejected(w) }

// RateLimited writes the retry delay in seconds.
func (dialect) RateLimited(w http.ResponseWriter, seconds int) {
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	Error(w, http.StatusTooManyRequests, "rate_limit_exceeded", "Rate Limit Exceeded")
}

// Unavailable writes Google's response when the call is down.
func (dialect) Unavailable(w http.ResponseWriter) {
	Error(w, http.StatusServiceUnavailable, "internal_failure", "Backend Error")
}

// Error writes an OAuth error (RFC 6749 §5.2).
func Error(w http.ResponseWriter, status int, code, description string) {
	stage.JSON(w, status, map[string]string{"error": code, "error_description": description})
}
