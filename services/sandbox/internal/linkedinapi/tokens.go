package linkedinapi

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const (
	accessLife  = 60 * 24 * time.Hour
	refreshLife = 365 * 24 * time.Hour // from the consent

	// roleOrganization is the role in the tokens of an organization.
	roleOrganization = "organization"
)

// Scopes of the applications for members, and of the application for pages, which has no others.
const (
	scopeOpenID  = "openid"
	scopeProfile = "profile"
	scopeShare   = "w_member_social"

	scopePageShare = "w_organization_social"
	scopePageRead  = "r_organization_social"
	scopePageAdmin = "rw_organization_admin"
)

// Scopes of calls about pages.
func readPages() []string  { return []string{scopePageRead} }
func adminPages() []string { return []string{scopePageAdmin} }

// policies returns the rules for tokens of members and of organizations.
func policies() []token.Policy {
	member := token.Policy{
		Access: accessLife, Refresh: refreshLife, FixedRefresh: true,
		Scopes: []string{scopeOpenID, scopeProfile, scopeShare},
	}
	page := member
	page.Role, page.Scopes = roleOrganization, []string{scopePageShare, scopePageRead, scopePageAdmin}
	return []token.Policy{member, page}
}

// refresh returns a new access token. The refresh token stays the same, with its end.
func (a *API) refresh(w http.ResponseWriter, r *http.Request) {
	form, err := stage.ReadTokenForm(w, r)
	if err == nil && form.Get("grant_type") == "authorization_code" {
		a.exchange(w, r, form)
		return
	}
	if err != nil || form.Get("grant_type") != "refresh_token" {
		oauthError(w, http.StatusBadRequest, "invalid_request", "A required parameter \"grant_type\" is missing")
		return
	}
	if form.Get("client_id") == "" || form.Get("client_secret") == "" {
		oauthError(w, http.StatusUnauthorized, "invalid_client", "Client authentication failed")
		return
	}
	asked := stage.Refresh{
		Network: channel.NetworkLinkedIn, Token: form.Get("refresh_token"), App: form.Get("client_id"),
		Dialect: tokenDialect{},
	}
	a.stage.Refresh(w, r, asked, func(t stage.Tokens) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"access_token": t.Access, "expires_in": t.ExpiresIn, "scope": strings.Join(t.Scopes, ","),
			"refresh_token": asked.Token, "refresh_token_expires_in": t.RefreshIn,
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

// codeLife is the lifetime of a code.
const codeLife = 30 * time.Minute

// dialog declares the page of LinkedIn. One application has the permissions of members, another those of pages.
func dialog() stage.Dialog {
	of := func(p token.Policy) func([]string) (string, bool) { return stage.AnyScope(p.Role, p.Scopes...) }
	member, page := of(policies()[0]), of(policies()[1])
	return stage.Dialog{
		Network: channel.NetworkLinkedIn, Path: "/linkedin/oauth/v2/authorization", Life: codeLife,
		Denied: "user_cancelled_authorize", Picks: "the organization, if the application asks for organizations",
		Role: func(scopes []string) (string, bool) {
			if role, ok := member(scopes); ok {
				return role, true
			}
			return page(scopes)
		},
	}
}

// exchange exchanges a code.
func (a *API) exchange(w http.ResponseWriter, r *http.Request, form url.Values) {
	if form.Get("client_id") == "" || form.Get("client_secret") == "" || form.Get("client_secret") == stage.WrongSecret {
		oauthError(w, http.StatusUnauthorized, "invalid_client", "Client authentication failed")
		return
	}
	a.stage.Exchange(w, r, stage.Exchange{
		Network: channel.NetworkLinkedIn, Code: form.Get("code"), App: form.Get("client_id"),
		Redirect: form.Get("redirect_uri"), Dialect: tokenDialect{},
		Refused: func(w http.ResponseWriter, _ error) {
			oauthError(w, http.StatusBadRequest, "invalid_request", "Unable to retrieve access token: appid/redirect uri/code "+
				"verifier does not match authorization code. Or authorization code expired. Or external member binding exists")
		},
	}, func(t stage.Tokens) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"access_token": t.Access, "expires_in": t.ExpiresIn, "scope": strings.Join(t.Scopes, ","),
			"refresh_token": t.Refresh, "refresh_token_expires_in": t.RefreshIn,
		})
	})
}

// revoke ends the access of a token.
func (a *API) revoke(w http.ResponseWriter, r *http.Request) {
	form, err := stage.ReadTokenForm(w, r)
	if err != nil || form.Get("client_id") == "" || a.stage.Revoke(network, form.Get("token")) != nil {
		oauthError(w, http.StatusBadRequest, "invalid_request", "The token is invalid")
		return
	}
	w.WriteHeader(http.StatusOK) // without content
}
