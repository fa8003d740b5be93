package youtubeapi

import (
	"net/http"

	"socialpub.internal/services/sandbox/internal/googletoken"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/domain/channel"
)

const (
	scopeRead      = "https://www.googleapis.com/auth/youtube.readonly"
	scopeUpload    = "https://www.googleapis.com/auth/youtube.upload"
	scopeWrite     = "https://www.googleapis.com/auth/youtube"
	scopeAnalytics = "https://www.googleapis.com/auth/yt-analytics.readonly"
)

// refresh returns a new access token. The refresh token and older access tokens stay valid.
func (a *API) refresh(w http.ResponseWriter, r *http.Request) {
	form, err := stage.ReadTokenForm(w, r)
	if err != nil || form.Get("grant_type") != "refresh_token" || form.Get("client_id") == "" ||
		form.Get("client_secret") == "" {
		googletoken.Error(w, http.StatusBadRequest, "invalid_request", "The form is not that of a refresh.")
		return
	}
	googletoken.Refresh(w, r, a.stage, channel.NetworkYouTube, form)
}
