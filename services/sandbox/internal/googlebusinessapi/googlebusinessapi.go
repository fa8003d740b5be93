// Package googlebusinessapi is the sandbox's Google Business Profile API: the text posts of a location, and Google's
// tokens.
//
// A location is named accounts/{account}/locations/{location}. Its token is that of the last part, for any account. Unlike
// Google's other APIs, this one does not accept "-" for any account.
package googlebusinessapi

import (
	"errors"
	"fmt"
	"html"
	"net/http"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/googletoken"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const network = string(channel.NetworkGoogleBusiness)

// API serves Google's calls.
type API struct {
	stage *stage.Stage
}

// register adds the calls under /googlebusiness.
func register(mux *http.ServeMux, s *stage.Stage) {
	a := &API{stage: s}
	const posts = " /googlebusiness/v4/accounts/{account}/locations/{location}/localPosts"
	mux.HandleFunc("POST"+posts, a.as(fault.StepCommit, a.create))
	mux.HandleFunc("GET"+posts, a.as(fault.StepStatus, a.list))
	mux.HandleFunc("GET"+posts+"/{id}", a.as(fault.StepStatus, a.one))
	mux.HandleFunc("DELETE"+posts+"/{id}", a.as(fault.StepOther, a.remove))
	mux.HandleFunc("GET /googlebusiness/performance/v1/locations/{call}", a.performance)
	mux.HandleFunc("POST /googlebusiness/token", a.refresh)
	mux.HandleFunc("GET /googlebusiness/v1/accounts", a.accounts)
	mux.HandleFunc("GET /googlebusiness/v1/accounts/{account}/locations", a.locations)
	googletoken.Consents(mux, s, channel.NetworkGoogleBusiness, "/googlebusiness", "the locations", scopeManage)
	mux.HandleFunc("/googlebusiness/", func(w http.ResponseWriter, _ *http.Request) {
		apiError(w, http.StatusNotFound, "NOT_FOUND", "The sandbox does not have this call.")
	})
}

// request is an authenticated call.
type request struct {
	*http.Request

	account string // the location's name in the ledger
	place   string // the location's full name
	body    []byte
	held    stage.Held
}

// as authenticates the call and applies faults. A token is valid for its location only.
func (a *API) as(step fault.Step, next func(http.ResponseWriter, request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := stage.ReadBody(w, r)
		if !ok {
			return
		}
		if r.PathValue("account") == anyAccount {
			noPage(w, r)
			return
		}
		grant, ok := a.admit(w, r)
		if !ok {
			return
		}
		location := r.PathValue("location")
		place := "accounts/" + r.PathValue("account") + "/locations/" + location
		account, own := place, stage.Owns(grant.Account, location)
		if !own {
			account = grant.Account
		}
		call := stage.Call{Network: channel.NetworkGoogleBusiness, Account: account, Step: step, Grant: grant}
		held, ok := a.stage.Enter(w, r, call, dialect{})
		if !ok {
			return
		}
		if !own {
			apiError(w, http.StatusForbidden, "PERMISSION_DENIED", "The caller does not have permission")
			return
		}
		next(w, request{Request: r, account: account, place: place, body: body, held: held})
	}
}

// anyAccount means all accounts in Google's other APIs.
const anyAccount = "-"

// noPage writes Google's response to a path that it does not route to the API: a page, not an error in JSON.
func noPage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=UTF-8")
	w.WriteHeader(http.StatusNotFound)
	_, _ = fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=en>\n<title>Error 404 (Not Found)!!1</title>\n"+
		"<p><b>404.</b> <ins>That’s an error.</ins>\n<p>The requested URL <code>%s</code> was not found on this server. "+
		"<ins>That’s all we know.</ins>\n", html.EscapeString(r.URL.Path))
}

// admit returns the grant of the call's token. If the token is not accepted, it writes an error response and returns
// false.
func (a *API) admit(w http.ResponseWriter, r *http.Request) (token.Grant, bool) {
	grant, err := a.stage.Tokens.Access(network, stage.Bearer(r), scopeManage)
	switch {
	case errors.Is(err, token.ErrScope):
		apiError(w, http.StatusForbidden, "PERMISSION_DENIED", "Request had insufficient authentication scopes.",
			map[string]any{
				"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
				"domain": "googleapis.com", "metadata": map[string]string{"service": "mybusiness.googleapis.com"},
			})
	case err != nil:
		dialect{}.Unauthorized(w)
	}
	return grant, err == nil
}

// answer writes the response unless a fault withholds it.
func (r request) answer(w http.ResponseWriter, value any) {
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, value)
	}
}

// dialect writes Google's error responses.
type dialect struct{}

// Rejected writes Google's response to an invalid field.
func (dialect) Rejected(w http.ResponseWriter) { invalid(w, "summary", "The text is not accepted") }

// RateLimited writes Google's response to too many calls. A detail holds the retry delay.
func (dialect) RateLimited(w http.ResponseWriter, seconds int) {
	apiError(w, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED",
		"Quota exceeded for quota metric 'Requests' and limit 'Requests per minute'.",
		map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": fmt.Sprintf("%ds", seconds)})
}

// Unavailable writes Google's response when a service is down.
func (dialect) Unavailable(w http.ResponseWriter) {
	apiError(w, http.StatusServiceUnavailable, "UNAVAILABLE", "The service is currently unavailable.")
}

// Unauthorized writes Google's response to an invalid token.
func (dialect) Unauthorized(w http.ResponseWriter) {
	apiError(w, http.StatusUnauthorized, "UNAUTHENTICATED",
		"Request had invalid authentication credentials. Expected OAuth 2 access token.")
}

func missing(w http.ResponseWriter) {
	apiError(w, http.StatusNotFound, "NOT_FOUND", "Requested entity was not found.")
}

// invalid writes a validation error that names the invalid field.
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

// accounts lists the person's accounts: a personal one and that of a group, each on a page of its own.
func (a *API) accounts(w http.ResponseWriter, r *http.Request) {
	if _, ok := a.admit(w, r); !ok {
		return
	}
	if r.URL.Query().Get("pageToken") == "" {
		stage.JSON(w, http.StatusOK, map[string]any{
			"accounts":      []map[string]string{{"name": "accounts/1", "accountName": "Personal", "type": "PERSONAL"}},
			"nextPageToken": "2",
		})
		return
	}
	stage.JSON(w, http.StatusOK, map[string]any{
		"accounts": []map[string]string{{"name": "accounts/2", "accountName": "Group", "type": "LOCATION_GROUP"}},
	})
}

// locations lists the locations of an account of the person: one of the person's own name, NAME-harbor in the group, and
// NAME-kiosk, which Google has not verified.
func (a *API) locations(w http.ResponseWriter, r *http.Request) {
	grant, ok := a.admit(w, r)
	if !ok {
		return
	}
	if r.URL.Query().Get("readMask") == "" {
		apiError(w, http.StatusBadRequest, "INVALID_ARGUMENT", "Request contains an invalid argument.")
		return
	}
	location := func(suffix, locality string, verified bool) map[string]any {
		return map[string]any{
			"name": "locations/" + grant.Account + suffix, "title": grant.Account + suffix,
			"storefrontAddress": map[string]any{"locality": locality, "addressLines": []string{"1 Main Street"}},
			"metadata":          map[string]any{"hasVoiceOfMerchant": verified},
		}
	}
	found := []map[string]any{location("", "Lund", true), location("-kiosk", "Lund", false)}
	if r.PathValue("account") == "2" {
		found = []map[string]any{location("-harbor", "Malmö", true)}
	}
	stage.JSON(w, http.StatusOK, map[string]any{"locations": found})
}
