package googlebusinessapi

import (
	"net/http"

	"fencepost.internal/services/sandbox/internal/googletoken"
	"fencepost.internal/shared/domain/channel"
)

const (
	// scopeManage is the scope of all calls.
	scopeManage = "https://www.googleapis.com/auth/business.manage"
)

// refresh returns a new access token, for a code or a refresh token.
func (a *API) refresh(w http.ResponseWriter, r *http.Request) {
	googletoken.Token(w, r, a.stage, channel.NetworkGoogleBusiness)
}
