package linkedinapi

import (
	"net/http"
	"strings"
	"time"

	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/services/sandbox/internal/token"
	"socialpub.internal/shared/domain/channel"
)

const (
	accessLife  = 60 * 24 * time.Hour
	refreshLife = 365 * 24 * time.Hour // from the consent

	// roleOrganization is the role in the tokens of an organization.
	roleOrganization = "organization"
)

// Scopes of the applications for members, and of the application for pages, which has no others.
const (
	scopeOpenID           = "openid"
	scopeProfile          = "profile"
	scopeShare            = "w_member_social"
	scopePostAnalytics    = "r_member_postAnalytics"
	scopeProfileAnalytics = "r_member_profileAnalytics"

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
		Scopes: []string{scopeOpenID, scopeProfile, scopeShare, scopePostAnalytics, scopeProfileAnalytics},
	}
	page := member
	page.Role, page.Scopes = roleOrganization, []string{scopePageShare, scopePageRead, scopePageAdmin}
	return []token.Policy{member, page}
}

// refresh returns a new access token. The refresh token stays the same, with its end.
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
