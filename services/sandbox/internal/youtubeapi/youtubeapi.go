// Package youtubeapi is the part of the sandbox's YouTube API that returns metrics: calls of the Data API and the
// Analytics API, and Google's tokens. The id of a channel is the name of its account. A channel with "hidden" in its
// name hides its number of subscribers.
package youtubeapi

import (
	"errors"
	"net/http"
	"strconv"

	"socialpub.internal/services/sandbox/internal/fault"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/services/sandbox/internal/token"
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
	mux.HandleFunc("GET /youtube/channels", a.as(scopeRead, a.channels))
	mux.HandleFunc("GET /youtube/videos", a.as(scopeRead, a.videos))
	mux.HandleFunc("GET /youtube/analytics/reports", a.as(scopeAnalytics, a.report))
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

// as authenticates the call, checks its scope, and applies faults.
func (a *API) as(scope string, next func(http.ResponseWriter, request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, ok := stage.ReadBody(w, r); !ok {
			return
		}
		grant, err := a.stage.Tokens.Access(network, stage.Bearer(r), scope)
		switch {
		case errors.Is(err, token.ErrScope):
			apiError(w, http.StatusForbidden, "insufficientPermissions",
				"Request had insufficient authentication scopes.")
			return
		case err != nil:
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
