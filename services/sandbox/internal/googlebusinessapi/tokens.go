package googlebusinessapi

import (
	"net/http"

	"socialpub.internal/services/sandbox/internal/googletoken"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/domain/channel"
)

const (
	// scopeManage is the scope of all calls.
	scopeManage = "https://www.googleapis.com/auth/business.manage"
)

// refresh returns a new access token. The refresh token and older access tokens stay valid.
func (a *API) refresh(w http.ResponseWriter, r *http.Request) {
	form, err := stage.ReadTokenForm(w, r)
	switch {
	case err != nil:
		googletoken.Error(w, http.StatusBadRequest, "invalid_request", "The form cannot be read.")
		return
	case form.Get("grant_type") != "refresh_token":
		googletoken.Error(w, http.StatusBadRequest, "unsupported_grant_type", "Invalid grant_type: "+form.Get("grant_type"))
		return
	case form.Get("client_id") == "" || form.Get("client_secret") == "":
		googletoken.Error(w, http.StatusBadRequest, "invalid_request", "client_id or client_secret is missing.")
		return
	}
	googletoken.Refresh(w, r, a.stage, channel.NetworkGoogleBusiness, form)
}
