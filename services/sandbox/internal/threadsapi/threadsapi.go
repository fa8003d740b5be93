// Package threadsapi is the sandbox's Threads: containers and the posts that are made of them.
package threadsapi

import (
	"net/http"
	"net/url"
	"strconv"

	"socialpub.internal/services/sandbox/internal/fault"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/services/sandbox/internal/token"
	"socialpub.internal/shared/channel"
)

const network = string(channel.NetworkThreads)

// API answers as Threads does.
type API struct {
	stage      *stage.Stage
	containers *Containers
}

// Register adds the calls under /threads.
func Register(mux *http.ServeMux, s *stage.Stage, containers *Containers) {
	a := &API{stage: s, containers: containers}
	mux.HandleFunc("POST /threads/{version}/{user}/threads", a.as(fault.StepCreate, a.create))
	mux.HandleFunc("POST /threads/{version}/{user}/threads_publish", a.as(fault.StepCommit, a.publish))
	mux.HandleFunc("GET /threads/{version}/{user}/threads", a.as(fault.StepStatus, a.list))
	mux.HandleFunc("GET /threads/{version}/{user}/threads_publishing_limit", a.as(fault.StepStatus, a.quota))
	mux.HandleFunc("GET /threads/{version}/{id}", a.as(fault.StepStatus, a.read))
	mux.HandleFunc("DELETE /threads/{version}/{id}", a.as(fault.StepOther, a.remove))
	mux.HandleFunc("GET /threads/refresh_access_token", a.refresh)
	mux.HandleFunc("/threads/", func(w http.ResponseWriter, _ *http.Request) {
		graphError(w, http.StatusNotFound, 100, 0, "The sandbox does not have this call.")
	})
}

// request is an authenticated call.
type request struct {
	*http.Request

	account string
	values  url.Values // of the query and the form
	held    stage.Held
}

// as authenticates the call by its parameter or header, and lets the faults at it.
func (a *API) as(step fault.Step, next func(http.ResponseWriter, request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := stage.ReadBody(w, r)
		if !ok {
			return
		}
		values := stage.Parameters(r, body)
		bearer := stage.AccessToken(r, values)
		grant, ok := a.stage.Tokens.Access(network, bearer, false)
		if !ok {
			dialect{}.Unauthorized(w)
			return
		}
		call := stage.Call{Network: channel.NetworkThreads, Account: grant.Account, Step: step, Grant: grant}
		held, ok := a.stage.Enter(w, r, call, dialect{})
		if !ok {
			return
		}
		if user := r.PathValue("user"); user != "" && user != "me" && user != grant.Account {
			missing(w)
			return
		}
		next(w, request{Request: r, account: grant.Account, values: values, held: held})
	}
}

// answer writes the answer unless a fault keeps it back.
func (r request) answer(w http.ResponseWriter, value any) {
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, value)
	}
}

// dialect is how Threads says no.
type dialect struct{}

// Rejected is Meta's answer to a parameter it does not like.
func (dialect) Rejected(w http.ResponseWriter) {
	graphError(w, http.StatusBadRequest, 100, 0, "Invalid parameter")
}

// RateLimited is Meta's answer to too many calls.
func (dialect) RateLimited(w http.ResponseWriter, seconds int) {
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	graphError(w, http.StatusTooManyRequests, 4, 0, "Application request limit reached")
}

// Unavailable is Meta's answer when a service is down.
func (dialect) Unavailable(w http.ResponseWriter) {
	graphError(w, http.StatusServiceUnavailable, 2, 0, "Service temporarily unavailable")
}

// Unauthorized is Meta's answer to a token that does not work.
func (dialect) Unauthorized(w http.ResponseWriter) {
	graphError(w, http.StatusUnauthorized, 190, 463, "Error validating access token: Session has expired")
}

// missing is Meta's answer about an object that is not there, or not the account's.
func missing(w http.ResponseWriter) {
	graphError(w, http.StatusBadRequest, 100, 33, "Unsupported request. Object does not exist or cannot be loaded due to missing permissions")
}

// graphError writes Meta's error shape.
func graphError(w http.ResponseWriter, status, code, subcode int, message string) {
	body := map[string]any{
		"message": message, "type": "THApiException", "code": code, "is_transient": code == 2, "fbtrace_id": "sandbox",
	}
	if subcode != 0 {
		body["error_subcode"] = subcode
	}
	stage.JSON(w, status, map[string]any{"error": body})
}

// refresh gives a new long-lived token; the old one goes on working unless a fault has expired it.
func (a *API) refresh(w http.ResponseWriter, r *http.Request) {
	grant, ok := token.AccessToken(network, r.URL.Query().Get("access_token"))
	if !ok {
		dialect{}.Unauthorized(w)
		return
	}
	call := stage.Call{Network: channel.NetworkThreads, Account: grant.Account, Step: fault.StepToken, Grant: grant}
	held, ok := a.stage.Enter(w, r, call, dialect{})
	if !ok {
		return
	}
	if r.URL.Query().Get("grant_type") != "th_refresh_token" {
		dialect{}.Rejected(w)
		return
	}
	next, err := a.stage.Tokens.Rotate(network, grant, false)
	if err != nil {
		dialect{}.Unavailable(w)
		return
	}
	if !held.Lost(w, r) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"access_token": token.Mint(network, grant.Account, next), "token_type": "bearer", "expires_in": 5_184_000,
		})
	}
}
