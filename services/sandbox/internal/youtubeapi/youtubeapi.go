// Package youtubeapi is the part of the sandbox's YouTube API that returns metrics: calls of the Data API and the
// Analytics API, and Google's tokens. The id of a channel is the name of its account. A channel with "hidden" in its
// name hides its number of subscribers.
package youtubeapi

import (
	"net/http"
	"strconv"
	"strings"

	"socialpub.internal/services/sandbox/internal/fault"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/domain/channel"
)

const network = string(channel.NetworkYouTube)

// API serves YouTube's calls.
type API struct {
	stage *stage.Stage
}

// register adds the calls under /youtube.
func register(mux *http.ServeMux, s *stage.Stage) {
	a := &API{stage: s}
	mux.HandleFunc("GET /youtube/channels", a.as(a.channels))
	mux.HandleFunc("GET /youtube/videos", a.as(a.videos))
	mux.HandleFunc("GET /youtube/analytics/reports", a.as(a.report))
	mux.HandleFunc("POST /youtube/token", a.refresh)
	mux.HandleFunc("/youtube/", func(w http.ResponseWriter, _ *http.Request) {
		apiError(w, http.StatusNotFound, "notFound", "The sandbox does not have this call.")
	})
}

// request is an authenticated call.
type request struct {
	*http.Request

	account string
	held    stage.Held
}

// as authenticates the call and applies faults.
func (a *API) as(next func(http.ResponseWriter, request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, ok := stage.ReadBody(w, r); !ok {
			return
		}
		bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		grant, ok := a.stage.Tokens.Access(network, bearer, false)
		if !ok {
			dialect{}.Unauthorized(w)
			return
		}
		call := stage.Call{Network: channel.NetworkYouTube, Account: grant.Account, Step: fault.StepStatus, Grant: grant}
		if held, ok := a.stage.Enter(w, r, call, dialect{}); ok {
			next(w, request{Request: r, account: grant.Account, held: held})
		}
	}
}

// answer writes the response unless a fault withholds it.
func (r request) answer(w http.ResponseWriter, value any) {
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, value)
	}
}

// dialect writes YouTube's error responses.
type dialect struct{}

// Rejected writes YouTube's response to an invalid parameter.
func (dialect) Rejected(w http.ResponseWriter) {
	apiError(w, http.StatusBadRequest, "badRequest", "The query is not supported.")
}

// RateLimited writes YouTube's response to too many calls.
func (dialect) RateLimited(w http.ResponseWriter, seconds int) {
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	apiError(w, http.StatusForbidden, "rateLimitExceeded", "Rate Limit Exceeded")
}

// Unavailable writes YouTube's response when a service is down.
func (dialect) Unavailable(w http.ResponseWriter) {
	apiError(w, http.StatusServiceUnavailable, "backendError", "Backend Error")
}

// Unauthorized writes YouTube's response to an invalid token.
func (dialect) Unauthorized(w http.ResponseWriter) {
	apiError(w, http.StatusUnauthorized, "authError", "Invalid Credentials")
}

// apiError writes the Data API's error shape.
func apiError(w http.ResponseWriter, code int, reason, message string) {
	stage.JSON(w, code, map[string]any{"error": map[string]any{
		"code": code, "message": message, "errors": []map[string]string{
			{"message": message, "domain": "global", "reason": reason},
		},
	}})
}

// refresh returns a new access token. The refresh token and older access tokens stay valid.
func (a *API) refresh(w http.ResponseWriter, r *http.Request) {
	const accessLife = 3599
	form, err := stage.ReadTokenForm(w, r)
	if err != nil || form.Get("grant_type") != "refresh_token" || form.Get("client_id") == "" ||
		form.Get("client_secret") == "" {
		oauthError(w, http.StatusBadRequest, "invalid_request", "The form is not that of a refresh.")
		return
	}
	asked := stage.Refresh{Network: channel.NetworkYouTube, Token: form.Get("refresh_token"), Dialect: tokenDialect{}}
	a.stage.Refresh(w, r, asked, func(t stage.Tokens) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"access_token": t.Access, "expires_in": accessLife, "token_type": "Bearer",
			"scope": "https://www.googleapis.com/auth/youtube.readonly https://www.googleapis.com/auth/yt-analytics.readonly",
		})
	})
}

// tokenDialect writes the error responses of Google's token call.
type tokenDialect struct{}

// Rejected reports that the grant has expired or was revoked.
func (tokenDialect) Rejected(w http.ResponseWriter) {
	oauthError(w, http.StatusBadRequest, "invalid_grant", "Token has been expired or revoked.")
}

// Unauthorized writes the same response as Rejected.
func (d tokenDialect) Unauthorized(w http.ResponseWriter) { d.Rejected(w) }

// RateLimited writes the retry delay in seconds.
func (tokenDialect) RateLimited(w http.ResponseWriter, seconds int) {
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	oauthError(w, http.StatusTooManyRequests, "rate_limit_exceeded", "Rate Limit Exceeded")
}

// Unavailable writes Google's response when the call is down.
func (tokenDialect) Unavailable(w http.ResponseWriter) {
	oauthError(w, http.StatusServiceUnavailable, "internal_failure", "Backend Error")
}

func oauthError(w http.ResponseWriter, status int, code, description string) {
	stage.JSON(w, status, map[string]string{"error": code, "error_description": description})
}
