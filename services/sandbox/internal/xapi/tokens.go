package xapi

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

// refresh exchanges a refresh token of the application and revokes the old pair.
func (a *API) refresh(w http.ResponseWriter, r *http.Request) {
	form, err := stage.ReadTokenForm(w, r)
	if err != nil {
		oauthError(w, http.StatusBadRequest, "invalid_request", "The form cannot be read.")
		return
	}
	app, ok := client(r, form)
	if !ok {
		oauthError(w, http.StatusUnauthorized, "unauthorized_client", "Missing valid authorization header")
		return
	}
	if form.Get("grant_type") == "authorization_code" {
		a.exchange(w, r, app, form)
		return
	}
	if form.Get("grant_type") != "refresh_token" {
		invalidToken(w, token.Grant{}, nil)
		return
	}
	asked := stage.Refresh{
		Network: channel.NetworkX, Token: form.Get("refresh_token"), App: app, Dialect: tokenDialect{dialect{a}},
		Refused: invalidToken,
	}
	a.stage.Refresh(w, r, asked, func(t stage.Tokens) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"token_type": "bearer", "expires_in": t.ExpiresIn, "scope": strings.Join(t.Scopes, " "),
			"access_token": t.Access, "refresh_token": t.Refresh,
		})
	})
}

// client returns the id of the application: of a confidential one from its Basic authentication, of a public one from
// the form. It returns false if there is none. The sandbox accepts any secret.
func client(r *http.Request, form url.Values) (string, bool) {
	if id, secret, ok := r.BasicAuth(); ok {
		return id, id != "" && secret != "" && secret != stage.WrongSecret
	}
	id := form.Get("client_id")
	return id, id != "" && r.Header.Get("Authorization") == ""
}

// invalidToken writes X's response to a refresh token that it does not accept. The response has no reason.
func invalidToken(w http.ResponseWriter, _ token.Grant, _ error) {
	oauthError(w, http.StatusBadRequest, "invalid_request", "Value passed for the token was invalid.")
}

// codeLife is the lifetime of a code.
const codeLife = 30 * time.Second

// dialog declares the page of X. It needs a code challenge.
func dialog() stage.Dialog {
	return stage.Dialog{
		Network: channel.NetworkX, Path: "/x/i/oauth2/authorize", NeedsPKCE: true, Life: codeLife,
		Role: stage.AnyScope("", scopeRead, scopeWrite, scopeUsers, scopeMedia, scopeOffline),
	}
}

// exchange exchanges a code for a pair of tokens. Without offline.access, there is no refresh token.
func (a *API) exchange(w http.ResponseWriter, r *http.Request, app string, form url.Values) {
	a.stage.Exchange(w, r, stage.Exchange{
		Network: channel.NetworkX, Code: form.Get("code"), App: app, Redirect: form.Get("redirect_uri"),
		Verifier: form.Get("code_verifier"), Dialect: tokenDialect{dialect{a}},
		Refused: func(w http.ResponseWriter, reason error) {
			if errors.Is(reason, stage.ErrCode) {
				oauthError(w, http.StatusBadRequest, "invalid_request", "Value passed for the authorization code was invalid.")
				return
			}
			oauthError(w, http.StatusBadRequest, "invalid_request", "Value passed for the code verifier, the redirect uri or the "+
				"client did not match the code.")
		},
	}, func(t stage.Tokens) {
		body := map[string]any{
			"token_type": "bearer", "expires_in": t.ExpiresIn, "scope": strings.Join(t.Scopes, " "), "access_token": t.Access,
		}
		if t.Has(scopeOffline) {
			body["refresh_token"] = t.Refresh
		}
		stage.JSON(w, http.StatusOK, body)
	})
}

// revoke revokes the pair of a token, by issuing another one that is not returned.
func (a *API) revoke(w http.ResponseWriter, r *http.Request) {
	form, err := stage.ReadTokenForm(w, r)
	if err != nil {
		oauthError(w, http.StatusBadRequest, "invalid_request", "The form cannot be read.")
		return
	}
	if _, ok := client(r, form); !ok {
		oauthError(w, http.StatusUnauthorized, "unauthorized_client", "Missing valid authorization header")
		return
	}
	if err := a.stage.Revoke(network, form.Get("token")); err != nil {
		invalidToken(w, token.Grant{}, nil)
		return
	}
	stage.JSON(w, http.StatusOK, map[string]bool{"revoked": true})
}

// tokenDialect writes the error responses of X's token call.
type tokenDialect struct{ dialect }

// Rejected reports that the refresh token is no longer valid.
func (tokenDialect) Rejected(w http.ResponseWriter) {
	oauthError(w, http.StatusBadRequest, "invalid_grant", "The grant is no longer valid.")
}

// Unauthorized writes the same response as Rejected.
func (tokenDialect) Unauthorized(w http.ResponseWriter) {
	oauthError(w, http.StatusBadRequest, "invalid_grant", "The grant is no longer valid.")
}

func oauthError(w http.ResponseWriter, status int, code, description string) {
	stage.JSON(w, status, map[string]string{"error": code, "error_description": description})
}
