// Package googletoken simulates the part of Google's token call that its networks share.
package googletoken

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
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

// codeLife is the lifetime of a code.
const codeLife = 10 * time.Minute

// Consents adds Google's authorization page and the revocation of tokens for one network.
func Consents(mux *http.ServeMux, s *stage.Stage, network channel.Network, prefix, picks string, scopes ...string) {
	s.Authorize(mux, stage.Dialog{
		Network: network, Path: prefix + "/o/oauth2/v2/auth", TakesPKCE: true, Life: codeLife, Picks: picks,
		Role: stage.AnyScope("", scopes...),
	})
	mux.HandleFunc("POST "+prefix+"/revoke", func(w http.ResponseWriter, r *http.Request) {
		form, err := stage.ReadTokenForm(w, r)
		if err != nil || s.Revoke(string(network), form.Get("token")) != nil {
			Error(w, http.StatusBadRequest, "invalid_token", "Token expired or revoked")
			return
		}
		stage.JSON(w, http.StatusOK, map[string]any{})
	})
}

// Token responds to the call of the token endpoint: an exchange of a code, or a refresh.
func Token(w http.ResponseWriter, r *http.Request, s *stage.Stage, network channel.Network) {
	form, err := stage.ReadTokenForm(w, r)
	switch grant := form.Get("grant_type"); {
	case err != nil:
		Error(w, http.StatusBadRequest, "invalid_request", "The form cannot be read.")
	case grant != "refresh_token" && grant != "authorization_code":
		Error(w, http.StatusBadRequest, "unsupported_grant_type", "Invalid grant_type: "+grant)
	case form.Get("client_id") == "" || form.Get("client_secret") == "":
		Error(w, http.StatusBadRequest, "invalid_request", "client_id or client_secret is missing.")
	case form.Get("client_secret") == stage.WrongSecret:
		Error(w, http.StatusUnauthorized, "invalid_client", "The provided client secret is invalid.")
	case grant == "refresh_token":
		Refresh(w, r, s, network, form)
	default:
		exchange(w, r, s, network, form)
	}
}

func exchange(w http.ResponseWriter, r *http.Request, s *stage.Stage, network channel.Network, form url.Values) {
	s.Exchange(w, r, stage.Exchange{
		Network: network, Code: form.Get("code"), App: form.Get("client_id"), Redirect: form.Get("redirect_uri"),
		Verifier: form.Get("code_verifier"), Dialect: dialect{},
		Refused: func(w http.ResponseWriter, reason error) {
			if errors.Is(reason, stage.ErrRedirect) {
				Error(w, http.StatusBadRequest, "redirect_uri_mismatch", "Bad Request")
				return
			}
			Error(w, http.StatusBadRequest, "invalid_grant", "Bad Request")
		},
	}, func(t stage.Tokens) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"access_token": t.Access, "expires_in": t.ExpiresIn, "scope": strings.Join(t.Scopes, " "), "token_type": "Bearer",
			"refresh_token": t.Refresh,
		})
	})
}
