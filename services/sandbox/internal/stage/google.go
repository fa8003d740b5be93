package stage

import (
	"net/http"
	"time"

	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

// GoogleTokens returns the rules for tokens of Google's networks. A refresh token has no end.
func GoogleTokens(scopes ...string) []token.Policy {
	return []token.Policy{{Access: time.Hour - time.Second, Scopes: scopes}}
}

// Google declares the authorization server of Google's networks. A refresh token and older access tokens stay valid.
func Google(network channel.Network, prefix, picks string) Authorization {
	refused := OAuthError(http.StatusBadRequest, "invalid_grant", "Token has been expired or revoked.")
	return Authorization{
		Dialog: Dialog{
			Network: network, Path: prefix + "/o/oauth2/v2/auth", TakesPKCE: true, Life: 10 * time.Minute, Picks: picks,
		},
		Tokens: map[string]string{"POST " + prefix + "/token": ""},
		Revoke: "POST " + prefix + "/revoke", Revoked: OK(Object{}),
		Body: func(t Tokens) any {
			if t.Sent != "" {
				t.Refresh = ""
			}
			return t.Form("Bearer", " ")
		},
		Words: Words{
			Rejected: refused, Unauthorized: refused,
			Limited:     OAuthError(http.StatusTooManyRequests, "rate_limit_exceeded", "Rate Limit Exceeded"),
			Unavailable: OAuthError(http.StatusServiceUnavailable, "internal_failure", "Backend Error"),
		},
		Refusals: map[error]Response{
			ErrForm:        OAuthError(http.StatusBadRequest, "invalid_request", "The form cannot be read."),
			ErrGrantType:   OAuthError(http.StatusBadRequest, "unsupported_grant_type", "Invalid grant_type"),
			ErrCredentials: OAuthError(http.StatusBadRequest, "invalid_request", "client_id or client_secret is missing."),
			ErrSecret:      OAuthError(http.StatusUnauthorized, "invalid_client", "The provided client secret is invalid."),
			ErrCode:        OAuthError(http.StatusBadRequest, "invalid_grant", "Bad Request"),
			ErrRedirect:    OAuthError(http.StatusBadRequest, "redirect_uri_mismatch", "Bad Request"),
			ErrRevoked:     OAuthError(http.StatusBadRequest, "invalid_token", "Token expired or revoked"),
			token.ErrApp:   OAuthError(http.StatusUnauthorized, "unauthorized_client", "Unauthorized"),
		},
	}
}
