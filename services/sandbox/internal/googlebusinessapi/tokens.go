package googlebusinessapi

import (
	"net/http"
	"strconv"
	"time"

	"socialpub.internal/services/sandbox/internal/fault"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/services/sandbox/internal/token"
	"socialpub.internal/shared/domain/channel"
)

// tokenLife is the reported lifetime of an access token. Only faults expire tokens in the sandbox.
const tokenLife = time.Hour

// refresh returns a new access token. The refresh token and older access tokens stay valid.
func (a *API) refresh(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	if err := r.ParseForm(); err != nil {
		oauthError(w, http.StatusBadRequest, "invalid_request", "The form cannot be read.")
		return
	}
	if r.PostForm.Get("grant_type") != "refresh_token" {
		oauthError(w, http.StatusBadRequest, "unsupported_grant_type", "Invalid grant_type: "+r.PostForm.Get("grant_type"))
		return
	}
	if r.PostForm.Get("client_id") == "" || r.PostForm.Get("client_secret") == "" {
		oauthError(w, http.StatusBadRequest, "invalid_request", "client_id or client_secret is missing.")
		return
	}
	grant, ok := token.RefreshToken(r.PostForm.Get("refresh_token"))
	if !ok {
		tokenDialect{}.Rejected(w)
		return
	}
	call := stage.Call{Network: channel.NetworkGoogleBusiness, Account: grant.Account, Step: fault.StepToken, Grant: grant}
	held, ok := a.stage.Enter(w, r, call, tokenDialect{})
	if !ok {
		return
	}
	next, err := a.stage.Tokens.Rotate(network, grant, false)
	if err != nil {
		tokenDialect{}.Unavailable(w)
		return
	}
	if !held.Lost(w, r) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"access_token": token.Mint(network, grant.Account, next), "expires_in": int(tokenLife.Seconds()) - 1,
			"scope": "https://www.googleapis.com/auth/business.manage", "token_type": "Bearer",
		})
	}
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
