// Package pinterestapi is the sandbox's Pinterest API, version 5: pins, videos, boards and metrics.
//
// The boards of an account depend only on its name, so that they are always the same: a name with "noboards" has none,
// a name with "manyboards" has more than fit on one page.
package pinterestapi

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const (
	network = string(channel.NetworkPinterest)
	// allowance is the number of calls in a window. It is far above Pinterest's own limit, so that load tests measure
	// the service and not this limit. Faults simulate the limit.
	allowance = 1_000_000
	window    = time.Minute
)

// Codes of Pinterest's errors.
const (
	codeInvalid     = 1
	codeAuth        = 2
	codeScope       = 3
	codeRateLimited = 8
	codeTrial       = 29
	codeBoard       = 40
	codePin         = 50
	codeNotFound    = 404
	codeUnavailable = 503
)

// API serves Pinterest's calls.
type API struct {
	stage  *stage.Stage
	videos *Videos

	mu    sync.Mutex
	until time.Time
	used  map[string]int
}

// mountCalls adds the calls under /pinterest, and the address of uploads.
func mountCalls(mux *http.ServeMux, s *stage.Stage, videos *Videos) {
	a := &API{stage: s, videos: videos, used: make(map[string]int)}
	const ordinary = 1 << 20
	for pattern, call := range map[string]struct {
		step   fault.Step
		scopes []string
		limit  int64
		next   func(http.ResponseWriter, request)
	}{
		"POST /pins":                                  {fault.StepCommit, writePins(), largestPin, a.create},
		"GET /pins/{id}":                              {fault.StepStatus, readPins(), ordinary, a.one},
		"DELETE /pins/{id}":                           {fault.StepOther, writePins(), ordinary, a.remove},
		"GET /boards/{board}/pins":                    {fault.StepStatus, readPins(), ordinary, a.list},
		"GET /boards/{board}/sections":                {fault.StepStatus, []string{scopeBoards}, ordinary, a.sections},
		"GET /boards/{board}/sections/{section}/pins": {fault.StepStatus, readPins(), ordinary, a.list},
		"POST /media":                                 {fault.StepUpload, []string{scopePins, scopeWritePins}, ordinary, a.register},
		"GET /media/{id}":                             {fault.StepStatus, []string{scopePins}, ordinary, a.status},
		"GET /boards":                                 {fault.StepStatus, []string{scopeBoards}, ordinary, a.boards},
		"GET /user_account":                           {fault.StepStatus, []string{scopeAccount}, ordinary, a.account},
		"GET /user_account/analytics":                 {fault.StepStatus, []string{scopeAccount}, ordinary, a.accountAnalytics},
		"GET /pins/{id}/analytics":                    {fault.StepStatus, []string{scopePins}, ordinary, a.pinAnalytics},
		"GET /pins/analytics":                         {fault.StepStatus, []string{scopePins}, ordinary, a.severalPins},
	} {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" /pinterest/v5"+path, a.as(call.step, call.scopes, call.limit, call.next))
	}
	mux.HandleFunc("POST "+uploadPath+"/{$}", a.receive)
	mux.HandleFunc("GET /pinterest/pin/{id}/{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, stage.Page(ledger.Post{Platform: network, ID: r.PathValue("id")}), http.StatusFound)
	})
	mux.HandleFunc("POST /pinterest/v5/oauth/token", a.refresh)
	mux.HandleFunc("POST /pinterest/v5/oauth/token/revoke", a.revoke)
	s.Authorize(mux, dialog())
	mux.HandleFunc("/pinterest/", func(w http.ResponseWriter, _ *http.Request) {
		apiError(w, http.StatusNotFound, codeNotFound, "The sandbox does not have this call.")
	})
}

// request is an authenticated call.
type request struct {
	*http.Request

	account string
	body    []byte
	held    stage.Held
}

// as authenticates and counts the call, checks its scopes and the size of its body in bytes, and applies faults.
func (a *API) as(
	step fault.Step, scopes []string, limit int64, next func(http.ResponseWriter, request),
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := stage.ReadLargeBody(w, r, limit)
		if !ok {
			return
		}
		grant, err := a.stage.Tokens.Access(network, stage.Bearer(r), scopes...)
		switch {
		case errors.Is(err, token.ErrScope):
			apiError(w, http.StatusUnauthorized, codeScope, "Your token does not have sufficient permissions to perform "+
				"this operation. Please ensure your token is authorized with the correct set of scopes.")
			return
		case err != nil:
			dialect{}.Unauthorized(w)
			return
		}
		call := stage.Call{Network: channel.NetworkPinterest, Account: grant.Account, Step: step, Grant: grant}
		a.count(w, grant.Account)
		if held, ok := a.stage.Enter(w, r, call, dialect{}); ok {
			next(w, request{Request: r, account: grant.Account, body: body, held: held})
		}
	}
}

// count counts the call and writes the headers of the rate limit.
func (a *API) count(w http.ResponseWriter, account string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.stage.Clock.Now()
	if !now.Before(a.until) {
		a.until = now.Truncate(window).Add(window)
		clear(a.used)
	}
	a.used[account]++
	limits(w, max(0, allowance-a.used[account]), int((a.until.Sub(now)+time.Second-1)/time.Second))
}

// limits writes the headers: the remaining calls, and the seconds until the limit resets.
func limits(w http.ResponseWriter, remaining, seconds int) {
	w.Header().Set("X-Ratelimit-Limit", strconv.Itoa(allowance))
	w.Header().Set("X-Ratelimit-Remaining", strconv.Itoa(remaining))
	w.Header().Set("X-Ratelimit-Reset", strconv.Itoa(seconds))
}

// dialect writes Pinterest's error responses.
type dialect struct{}

// Rejected writes Pinterest's response to an invalid request.
func (dialect) Rejected(w http.ResponseWriter) {
	apiError(w, http.StatusBadRequest, codeInvalid, "The request is invalid.")
}

// RateLimited writes Pinterest's response to too many calls, with the seconds to wait.
func (dialect) RateLimited(w http.ResponseWriter, seconds int) {
	limits(w, 0, seconds)
	apiError(w, http.StatusTooManyRequests, codeRateLimited, "This request exceeded a rate limit.")
}

// Unavailable writes Pinterest's response when a service is down.
func (dialect) Unavailable(w http.ResponseWriter) {
	apiError(w, http.StatusServiceUnavailable, codeUnavailable, "The service is unavailable.")
}

// Unauthorized writes Pinterest's response to an invalid access or refresh token.
func (dialect) Unauthorized(w http.ResponseWriter) {
	apiError(w, http.StatusUnauthorized, codeAuth, "Authentication failed.")
}

// apiError writes Pinterest's error shape.
func apiError(w http.ResponseWriter, status, code int, message string) {
	stage.JSON(w, status, map[string]any{"code": code, "message": message})
}
