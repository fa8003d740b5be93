package tiktokapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

// codeLife is the lifetime of a code.
const codeLife = 10 * time.Minute

// dialog declares the page of one of the two products, whose applications differ.
func dialog(prefix string, product int) stage.Dialog {
	policy := policies()[product]
	return stage.Dialog{
		Network: channel.NetworkTikTok, Path: prefix + "/v2/auth/authorize/{$}", ClientKey: "client_key", Separator: ",",
		Life: codeLife, Role: stage.AnyScope(policy.Role, policy.Scopes...),
	}
}

// exchangePersonal exchanges a code of the personal product. A refusal has the status 200.
func (a *API) exchangePersonal(w http.ResponseWriter, r *http.Request, form url.Values) {
	if form.Get("client_secret") == stage.WrongSecret {
		oauthError(w, http.StatusUnauthorized, "invalid_client", "Client key or secret is incorrect.")
		return
	}
	a.stage.Exchange(w, r, stage.Exchange{
		Network: channel.NetworkTikTok, Code: form.Get("code"), App: form.Get("client_key"),
		Redirect: form.Get("redirect_uri"), Dialect: personalToken{},
		Refused: func(w http.ResponseWriter, _ error) {
			oauthError(w, http.StatusOK, "invalid_grant", "Authorization code is expired or invalid.")
		},
	}, func(t stage.Tokens) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"token_type": "Bearer", "scope": strings.Join(t.Scopes, ","), "open_id": t.Account, "access_token": t.Access,
			"expires_in": t.ExpiresIn, "refresh_token": t.Refresh, "refresh_expires_in": t.RefreshIn,
		})
	})
}

// revokePersonal ends the access of a token.
func (a *API) revokePersonal(w http.ResponseWriter, r *http.Request) {
	form, err := stage.ReadTokenForm(w, r)
	if err != nil || a.stage.Revoke(network, form.Get("token")) != nil {
		oauthError(w, http.StatusBadRequest, "invalid_request", "The token is invalid.")
		return
	}
	w.WriteHeader(http.StatusOK) // without content
}

// exchangeBusiness exchanges a code of the business product.
func (a *API) exchangeBusiness(w http.ResponseWriter, r *http.Request) {
	body, ok := stage.ReadBody(w, r)
	if !ok {
		return
	}
	var asked struct {
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
		GrantType    string `json:"grant_type"`
		Code         string `json:"auth_code"`
		Redirect     string `json:"redirect_uri"`
	}
	if json.Unmarshal(body, &asked) != nil || asked.GrantType != "authorization_code" {
		businessError(w, codeParameter, "The body is not that of an exchange.")
		return
	}
	if asked.ClientID == "" || asked.ClientSecret == "" || asked.ClientSecret == stage.WrongSecret {
		businessError(w, codeApp, "App id or secret is incorrect.")
		return
	}
	a.stage.Exchange(w, r, stage.Exchange{
		Network: channel.NetworkTikTok, Code: asked.Code, App: asked.ClientID, Redirect: asked.Redirect,
		Dialect: businessToken{},
		Refused: func(w http.ResponseWriter, _ error) {
			businessError(w, codeParameter, "Auth_code is invalid or expired.")
		},
	}, func(t stage.Tokens) {
		businessAnswer(w, http.StatusOK, codeOK, "OK", map[string]any{
			"token_type": "Bearer", "scope": strings.Join(t.Scopes, ","), "open_id": t.Account, "access_token": t.Access,
			"expires_in": t.ExpiresIn, "refresh_token": t.Refresh, "refresh_token_expires_in": t.RefreshIn,
		})
	})
}
