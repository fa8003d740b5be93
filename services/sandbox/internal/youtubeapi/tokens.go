package youtubeapi

import (
	"net/http"

	"fencepost.internal/services/sandbox/internal/googletoken"
	"fencepost.internal/shared/domain/channel"
)

const (
	scopeRead      = "https://www.googleapis.com/auth/youtube.readonly"
	scopeUpload    = "https://www.googleapis.com/auth/youtube.upload"
	scopeWrite     = "https://www.googleapis.com/auth/youtube"
	scopeAnalytics = "https://www.googleapis.com/auth/yt-analytics.readonly"
)

// refresh returns a new access token. The refresh token and older access tokens stay valid.
func (a *API) refresh(w http.ResponseWriter, r *http.Request) {
	googletoken.Token(w, r, a.stage, channel.NetworkYouTube)
}
