// Package xapi is the sandbox's X API, version 2: posts with text, images and videos. An account whose name contains
// "premium", or whose number ends with 25000, has a subscription.
package xapi

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const (
	network = string(channel.NetworkX)
	// uniqueFor is the time in which an account cannot repeat a text.
	uniqueFor = 24 * time.Hour
	// allowance is the number of calls in a window. It is far above X's own limit, so that load tests measure the
	// service and not this limit. Faults simulate the limit.
	allowance = 1_000_000
	window    = 15 * time.Minute
)

// API serves X's calls.
type API struct {
	stage   *stage.Stage
	uploads *Uploads

	mu    sync.Mutex
	until time.Time
	used  map[string]int
}

// register adds the calls under /x.
func register(mux *http.ServeMux, s *stage.Stage, uploads *Uploads) {
	a := &API{stage: s, uploads: uploads, used: make(map[string]int)}
	mux.HandleFunc("POST /x/2/tweets", a.as(fault.StepCommit, writePosts(), a.create))
	mux.HandleFunc("GET /x/2/tweets", a.as(fault.StepStatus, readPosts(), a.lookup))
	mux.HandleFunc("GET /x/2/tweets/{id}", a.as(fault.StepStatus, readPosts(), a.one))
	mux.HandleFunc("DELETE /x/2/tweets/{id}", a.as(fault.StepOther, writePosts(), a.remove))
	mux.HandleFunc("GET /x/2/users/me", a.as(fault.StepStatus, readPosts(), a.me))
	mux.HandleFunc("GET /x/2/users/{id}/tweets", a.as(fault.StepStatus, readPosts(), a.list))
	mux.HandleFunc("POST /x/2/media/upload/initialize", a.as(fault.StepUpload, writeMedia(), a.initialize))
	mux.HandleFunc("POST /x/2/media/upload/{id}/append", a.sized(segmentBody, fault.StepUpload, writeMedia(), a.append))
	mux.HandleFunc("POST /x/2/media/upload/{id}/finalize", a.as(fault.StepUpload, writeMedia(), a.finalize))
	mux.HandleFunc("GET /x/2/media/upload", a.as(fault.StepStatus, writeMedia(), a.status))
	mux.HandleFunc("POST /x/2/media/metadata", a.as(fault.StepUpload, writeMedia(), a.metadata))
	mux.HandleFunc("POST /x/2/oauth2/token", a.refresh)
	mux.HandleFunc("POST /x/2/oauth2/revoke", a.revoke)
	s.Authorize(mux, dialog())
	mux.HandleFunc("GET /x/{username}/status/{id}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, stage.Page(ledger.Post{Platform: network, ID: r.PathValue("id")}), http.StatusFound)
	})
	mux.HandleFunc("/x/", func(w http.ResponseWriter, _ *http.Request) {
		problem(w, http.StatusNotFound, "resource-not-found", "Not Found Error", "The sandbox does not have this call.")
	})
}

// request is an authenticated call.
type request struct {
	*http.Request

	account string
	body    []byte
	held    stage.Held
}

// as authenticates and counts the call, checks the scopes, and applies faults.
func (a *API) as(step fault.Step, scopes []string, next func(http.ResponseWriter, request)) http.HandlerFunc {
	const ordinary = 1 << 20
	return a.sized(ordinary, step, scopes, next)
}

// sized is as with another limit of the body, in bytes.
func (a *API) sized(
	limit int64, step fault.Step, scopes []string, next func(http.ResponseWriter, request),
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := stage.ReadLargeBody(w, r, limit)
		if !ok {
			return
		}
		grant, err := a.stage.Tokens.Access(network, stage.Bearer(r), scopes...)
		if errors.Is(err, token.ErrScope) {
			problem(w, http.StatusForbidden, "", "Forbidden", "Forbidden")
			return
		}
		if err != nil {
			dialect{a}.Unauthorized(w)
			return
		}
		call := stage.Call{Network: channel.NetworkX, Account: grant.Account, Step: step, Grant: grant}
		a.count(w, r, call)
		if held, ok := a.stage.Enter(w, r, call, dialect{a}); ok {
			next(w, request{Request: r, account: grant.Account, body: body, held: held})
		}
	}
}

// count counts the call and writes the headers of the rate limit. If the sandbox is not strict, there are far more calls
// than X allows.
func (a *API) count(w http.ResponseWriter, r *http.Request, call stage.Call) {
	if quota, ok := a.stage.Quota(r, call); ok {
		limits(w, quota.Calls, max(0, quota.Left-1), quota.Ends)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.stage.Clock.Now()
	if !now.Before(a.until) {
		a.until = now.Truncate(window).Add(window)
		clear(a.used)
	}
	a.used[call.Account]++
	limits(w, allowance, max(0, allowance-a.used[call.Account]), a.until)
}

// limits writes the headers. X rounds the time of the reset to seconds; the sandbox rounds up, so that a client that
// waits until then is never too early.
func limits(w http.ResponseWriter, limit, remaining int, reset time.Time) {
	w.Header().Set("X-Rate-Limit-Limit", strconv.Itoa(limit))
	w.Header().Set("X-Rate-Limit-Remaining", strconv.Itoa(remaining))
	w.Header().Set("X-Rate-Limit-Reset", strconv.FormatInt(reset.Add(time.Second-time.Nanosecond).Unix(), 10))
}

// dialect writes X's error responses.
type dialect struct{ api *API }

// Rejected writes X's response to a post that it does not accept.
func (dialect) Rejected(w http.ResponseWriter) {
	problem(w, http.StatusForbidden, "", "Forbidden", "You are not permitted to perform this action.")
}

// RateLimited writes X's response to too many calls, with the time at which the limit resets.
func (d dialect) RateLimited(w http.ResponseWriter, seconds int) {
	limit, err := strconv.Atoi(w.Header().Get("X-Rate-Limit-Limit"))
	if err != nil {
		limit = allowance
	}
	limits(w, limit, 0, d.api.stage.Clock.Now().Add(time.Duration(seconds)*time.Second))
	problem(w, http.StatusTooManyRequests, "rate-limit-exceeded", "Too Many Requests", "Too Many Requests")
}

// Unavailable writes X's response when a service is down.
func (dialect) Unavailable(w http.ResponseWriter) {
	problem(w, http.StatusServiceUnavailable, "service-unavailable", "Service Unavailable", "Service Unavailable")
}

// Unauthorized writes X's response to an invalid token.
func (dialect) Unauthorized(w http.ResponseWriter) {
	problem(w, http.StatusUnauthorized, "", "Unauthorized", "Unauthorized")
}

// problem writes X's error shape.
func problem(w http.ResponseWriter, status int, name, title, detail string) {
	kind := "about:blank"
	if name != "" {
		kind = "https://api.x.com/2/problems/" + name
	}
	stage.JSON(w, status, map[string]any{"title": title, "type": kind, "detail": detail, "status": status})
}
