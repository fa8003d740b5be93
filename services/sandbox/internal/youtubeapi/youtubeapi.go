// Package youtubeapi is the sandbox's YouTube API: uploads and videos of the Data API, metrics of it and of the Analytics
// API, and Google's tokens. The id of a channel is the name of its account. A channel with "hidden" in its name hides its
// number of subscribers, and one with "unverified" has no verified phone number. A video with "[duplicate]" in its title
// is rejected after its upload.
package youtubeapi

import (
	"errors"
	"net/http"
	"strconv"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/googletoken"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/partfile"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const network = string(channel.NetworkYouTube)

// API serves YouTube's calls.
type API struct {
	stage *stage.Stage
	files *partfile.Store[video]
}

// register adds the calls under /youtube and /upload/youtube.
func register(mux *http.ServeMux, s *stage.Stage, files *partfile.Store[video]) {
	a := &API{stage: s, files: files}
	mux.HandleFunc("GET /youtube/channels", a.as(fault.StepStatus, scopeRead, a.channels))
	mux.HandleFunc("GET /youtube/videos", a.as(fault.StepStatus, scopeRead, a.videos))
	mux.HandleFunc("GET /youtube/playlistItems", a.as(fault.StepStatus, scopeRead, a.playlistItems))
	mux.HandleFunc("PUT /youtube/videos", a.as(fault.StepCommit, scopeWrite, a.update))
	mux.HandleFunc("DELETE /youtube/videos", a.as(fault.StepOther, scopeWrite, a.remove))
	mux.HandleFunc("GET /youtube/analytics/reports", a.as(fault.StepStatus, scopeAnalytics, a.report))
	mux.HandleFunc("POST "+uploadPath, a.as(fault.StepCreate, scopeUpload, a.insert))
	mux.HandleFunc("PUT "+uploadPath, a.upload)
	mux.HandleFunc("POST /upload/youtube/thumbnails/set", a.setCover)
	mux.HandleFunc("POST /youtube/token", a.refresh)
	googletoken.Consents(mux, s, channel.NetworkYouTube, "/youtube", "", scopeRead, scopeAnalytics, scopeUpload, scopeWrite)
	mux.HandleFunc("GET /youtube/watch", func(w http.ResponseWriter, r *http.Request) {
		toPage(w, r, r.URL.Query().Get("v"))
	})
	mux.HandleFunc("GET /youtube/shorts/{id}", func(w http.ResponseWriter, r *http.Request) {
		toPage(w, r, r.PathValue("id"))
	})
	mux.HandleFunc("/youtube/", func(w http.ResponseWriter, _ *http.Request) {
		apiError(w, http.StatusNotFound, "notFound", "The sandbox does not have this call.")
	})
}

// toPage redirects to the page of a video.
func toPage(w http.ResponseWriter, r *http.Request, id string) {
	http.Redirect(w, r, stage.Page(ledger.Post{Platform: network, ID: id}), http.StatusFound)
}

// request is an authenticated call.
type request struct {
	*http.Request

	account string
	body    []byte
	held    stage.Held
}

// as authenticates the call, checks its scope, and applies faults.
func (a *API) as(step fault.Step, scope string, next func(http.ResponseWriter, request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := stage.ReadBody(w, r)
		if !ok {
			return
		}
		call, ok := a.admit(w, r, scope, step)
		if !ok {
			return
		}
		if held, ok := a.stage.Enter(w, r, call, dialect{}); ok {
			next(w, request{Request: r, account: call.Account, body: body, held: held})
		}
	}
}

// admit authenticates the call and checks its scope. If it is refused, admit writes the response and returns false.
func (a *API) admit(w http.ResponseWriter, r *http.Request, scope string, step fault.Step) (stage.Call, bool) {
	grant, err := a.stage.Tokens.Access(network, stage.Bearer(r), scope)
	switch {
	case errors.Is(err, token.ErrScope):
		apiError(w, http.StatusForbidden, "insufficientPermissions",
			"Request had insufficient authentication scopes.")
		return stage.Call{}, false
	case err != nil:
		dialect{}.Unauthorized(w)
		return stage.Call{}, false
	default:
		return stage.Call{Network: channel.NetworkYouTube, Account: grant.Account, Step: step, Grant: grant}, true
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
