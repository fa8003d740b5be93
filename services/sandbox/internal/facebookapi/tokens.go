package facebookapi

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/token"
)

// Permissions of Pages.
const (
	scopePublish  = "pages_manage_posts"
	scopeRead     = "pages_read_engagement"
	scopeInsights = "read_insights"
)

// Permissions that calls need together.
func reading() []string    { return []string{scopeRead} }
func publishing() []string { return []string{scopeRead, scopePublish} }
func measuring() []string  { return []string{scopeRead, scopeInsights} }

// loginScopes are the permissions of a person.
func loginScopes() []string {
	return []string{"pages_show_list", scopeRead, scopePublish, scopeInsights, "business_management"}
}

// pageScope returns the permission of a Page for one of a person; empty if there is none.
func pageScope(scope string) string {
	if scope == "business_management" {
		return ""
	}
	return scope
}

// policy returns the rules for tokens of Pages. They have no end, but the access to data ends 90 days after the login.
func policy() token.Policy {
	const dataAccess = 90 * 24 * time.Hour
	return token.Policy{
		NoRefresh: true, DataAccess: dataAccess, Scopes: []string{"pages_show_list", scopeRead, scopePublish, scopeInsights},
	}
}

// refused writes the response to a token that is not accepted, for the reason in the error.
func (a *API) refused(w http.ResponseWriter, grant token.Grant, scopes []string, reason error) {
	const docs = "Refer to https://developers.facebook.com/docs/apps/review/login-permissions#manage-pages for details."
	switch {
	case errors.Is(reason, token.ErrScope) && slices.Contains(scopes, scopePublish):
		graphError(w, http.StatusBadRequest, 200, 0, "(#200) If posting to a page, both pages_read_engagement and "+
			"pages_manage_posts are required as an admin with sufficient administrative permission")
	case errors.Is(reason, token.ErrScope) && slices.Contains(scopes, scopeInsights):
		graphError(w, http.StatusBadRequest, 10, 0, "(#10) This endpoint requires the 'read_insights' permission. "+docs)
	case errors.Is(reason, token.ErrScope):
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Object does not exist, cannot be loaded due to missing "+
			"permission or reviewable feature, or does not support this operation. This endpoint requires the "+
			"'pages_read_engagement' permission or the 'Page Public Content Access' feature. "+docs)
	case errors.Is(reason, token.ErrExpired):
		graphError(w, http.StatusBadRequest, 190, 463, metaapi.SessionExpired(grant, a.stage.Clock.Now()))
	case errors.Is(reason, token.ErrData):
		// Meta documents that calls fail, but not the words.
		graphError(w, http.StatusBadRequest, 190, 0, "Error validating access token: Data access has expired. "+
			"The user has to log in again.")
	default:
		graphError(w, http.StatusBadRequest, 190, 0, "Invalid OAuth access token - Cannot parse access token")
	}
}

// debugToken reports what a token allows and until when.
func (a *API) debugToken(w http.ResponseWriter, r *http.Request) {
	metaapi.DebugToken(a.stage, network, func(w http.ResponseWriter, _ *http.Request) {
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) You must provide an app access token, or a user access "+
			"token that is an owner or developer of the app")
	})(w, r)
}
