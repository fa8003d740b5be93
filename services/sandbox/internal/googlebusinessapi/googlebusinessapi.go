// Package googlebusinessapi is the sandbox's Google Business Profile: the text posts of a location, and Google's tokens.
//
// A location is accounts/{account}/locations/{location}; its token is that of its last part, whatever the account is. A
// location whose account is "-" goes by its last part alone.
package googlebusinessapi

import (
	"fmt"
	"net/http"
	"strings"

	"socialpub.internal/services/sandbox/internal/fault"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/domain/channel"
)

const network = string(channel.NetworkGoogleBusiness)

// API answers as Google does.
type API struct {
	stage *stage.Stage
}

// Register adds the calls under /googlebusiness.
func Register(mux *http.ServeMux, s *stage.Stage) {
	a := &API{stage: s}
	const posts = " /googlebusiness/v4/accounts/{account}/locations/{location}/localPosts"
	mux.HandleFunc("POST"+posts, a.as(fault.StepCommit, a.create))
	mux.HandleFunc("GET"+posts, a.as(fault.StepStatus, a.list))
	mux.HandleFunc("GET"+posts+"/{id}", a.as(fault.StepStatus, a.one))
	mux.HandleFunc("DELETE"+posts+"/{id}", a.as(fault.StepOther, a.remove))
	mux.HandleFunc("GET /googlebusiness/performance/v1/locations/{call}", a.performance)
	mux.HandleFunc("POST /googlebusiness/token", a.refresh)
	mux.HandleFunc("/googlebusiness/", func(w http.ResponseWriter, _ *http.Request) {
		apiError(w, http.StatusNotFound, "NOT_FOUND", "The sandbox does not have this call.")
	})
}

// request is an authenticated call.
type request struct {
	*http.Request

	account string // the location, by the name that the ledger has it under
	place   string // its full name
	body    []byte
	held    stage.Held
}

// as authenticates the call and lets the faults at it. A token speaks for its location alone.
func (a *API) as(step fault.Step, next func(http.ResponseWriter, request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := stage.ReadBody(w, r)
		if !ok {
			return
		}
		bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		grant, ok := a.stage.Tokens.Access(network, bearer, false)
		if !ok {
			dialect{}.Unauthorized(w)
			return
		}
		owner, location := r.PathValue("account"), r.PathValue("location")
		place := "accounts/" + owner + "/locations/" + location
		account := place
		if owner == "-" || location != grant.Account {
			account = grant.Account
		}
		call := stage.Call{Network: channel.NetworkGoogleBusiness, Account: account, Step: step, Grant: grant}
		held, ok := a.stage.Enter(w, r, call, dialect{})
		if !ok {
			return
		}
		if location != grant.Account {
			apiError(w, http.StatusForbidden, "PERMISSION_DENIED", "The caller does not have permission")
			return
		}
		next(w, request{Request: r, account: account, place: place, body: body, held: held})
	}
}

// answer writes the answer unless a fault keeps it back.
func (r request) answer(w http.ResponseWriter, value any) {
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, value)
	}
}

// dialect is how Google says no.
type dialect struct{}

// Rejected is Google's answer to a member it does not like.
func (dialect) Rejected(w http.ResponseWriter) { invalid(w, "summary", "The text is not accepted") }

// RateLimited is Google's answer to too many calls; a detail has the wait.
func (dialect) RateLimited(w http.ResponseWriter, seconds int) {
	apiError(w, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute'.",
		map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": fmt.Sprintf("%ds", seconds)})
}

// Unavailable is Google's answer when a service is down.
func (dialect) Unavailable(w http.ResponseWriter) {
	apiError(w, http.StatusServiceUnavailable, "UNAVAILABLE", "The service is currently unavailable.")
}

// Unauthorized is Google's answer to a token that does not work.
func (dialect) Unauthorized(w http.ResponseWriter) {
	apiError(w, http.StatusUnauthorized, "UNAUTHENTICATED", "Request had invalid authentication credentials. Expected OAuth 2 access token.")
}

func missing(w http.ResponseWriter) {
	apiError(w, http.StatusNotFound, "NOT_FOUND", "Requested entity was not found.")
}

// invalid names the member that is wrong.
func invalid(w http.ResponseWriter, field, message string) {
	apiError(w, http.StatusBadRequest, "INVALID_ARGUMENT", "Request contains an invalid argument.", map[string]any{
		"@type":        "type.googleapis.com/google.mybusiness.v4.ValidationError",
		"errorDetails": []map[string]any{{"code": 3, "field": field, "message": message}},
	})
}

// apiError writes Google's error shape.
func apiError(w http.ResponseWriter, code int, status, message string, details ...map[string]any) {
	body := map[string]any{"code": code, "message": message, "status": status}
	if len(details) > 0 {
		body["details"] = details
	}
	stage.JSON(w, code, map[string]any{"error": body})
}
