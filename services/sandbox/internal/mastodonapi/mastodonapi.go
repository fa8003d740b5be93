// Package mastodonapi is the sandbox's Mastodon servers: the calls of the client API that posts need. The server
// mastodon.sandbox.test is under /mastodon, and every other server HOST under /mastodon-at/HOST.
//
// The account acme has the id acme on its server, and HOST/acme in the sandbox's control API. Its token names acme on
// mastodon.sandbox.test, and acme@HOST on another server. A server knows only its own accounts and applications.
package mastodonapi

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const (
	network = string(channel.NetworkMastodon)

	uploadCall = "POST /mastodon/api/v2/media"
)

// API serves the calls.
type API struct {
	stage *stage.Stage
	kept  *kept

	creating sync.Map // *sync.Mutex by account and key, which is locked while its status is created
}

// register adds the calls under /mastodon.
func register(mux *http.ServeMux, s *stage.Stage, k *kept) {
	a := &API{stage: s, kept: k}
	mux.HandleFunc("POST /mastodon/api/v1/statuses", a.as(fault.StepCommit, scopeWrite, a.create))
	mux.HandleFunc("GET /mastodon/api/v1/statuses/{id}", a.as(fault.StepStatus, scopeRead, a.one))
	mux.HandleFunc("GET /mastodon/api/v1/accounts/verify_credentials", a.as(fault.StepStatus, scopeProfile, a.own))
	mux.HandleFunc("GET /mastodon/api/v1/accounts/{id}/statuses", a.as(fault.StepStatus, scopeRead, a.list))
	a.consents(mux)
	mux.HandleFunc(uploadCall, a.upload)
	mux.HandleFunc("GET /mastodon/api/v1/media/{id}", a.as(fault.StepStatus, scopeMedia, a.media))
	mux.HandleFunc("GET /mastodon/api/v2/instance", a.as(fault.StepStatus, "", a.instance))
	mux.HandleFunc("GET /mastodon/{name}/{id}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, stage.Page(ledger.Post{Platform: network, ID: r.PathValue("id")}), http.StatusFound)
	})
	a.elsewhere(mux)
	mux.HandleFunc("/mastodon/", func(w http.ResponseWriter, _ *http.Request) { missing(w) })
}

// request is an authenticated call.
type request struct {
	*http.Request

	name string // of the account, without the server
	body []byte
	held stage.Held
}

func (r request) account() string { return hostOf(r.Request) + "/" + r.name }

// as authenticates the call, checks the scope and applies faults.
func (a *API) as(step fault.Step, scope string, next func(http.ResponseWriter, request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := stage.ReadBody(w, r)
		if !ok {
			return
		}
		grant, ok := a.access(w, r, scope)
		if !ok {
			return
		}
		if held, ok := a.enter(w, r, step, grant); ok {
			next(w, request{Request: r, name: nameOf(grant.Account), body: body, held: held})
		}
	}
}

func (a *API) enter(w http.ResponseWriter, r *http.Request, step fault.Step, grant token.Grant) (stage.Held, bool) {
	call := stage.Call{Network: channel.NetworkMastodon, Account: accountOf(grant.Account), Step: step, Grant: grant}
	return a.stage.Enter(w, r, call, dialect{a})
}

// access returns the grant of the access token. If it is not accepted, it writes the error response.
func (a *API) access(w http.ResponseWriter, r *http.Request, scope string) (token.Grant, bool) {
	var scopes []string
	if scope != "" {
		scopes = append(scopes, scope)
	}
	grant, err := a.stage.Tokens.Access(network, stage.Bearer(r), scopes...)
	if errors.Is(err, token.ErrScope) && scope == scopeProfile {
		grant, err = a.stage.Tokens.Access(network, stage.Bearer(r), scopeAccount)
	}
	switch {
	case err == nil && hostOfHolder(grant.Account) == hostOf(r):
		return grant, true
	case errors.Is(err, token.ErrScope):
		refuse(w, http.StatusForbidden, "This action is outside the authorized scopes")
	case errors.Is(err, token.ErrExpired):
		dialect{a}.Unauthorized(w)
	default:
		refuse(w, http.StatusUnauthorized, "The access token is invalid")
	}
	return token.Grant{}, false
}

// answer writes the result unless a fault withholds it.
func (r request) answer(w http.ResponseWriter, status int, result any) {
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, status, result)
	}
}

func (a *API) own(w http.ResponseWriter, r request) {
	r.answer(w, http.StatusOK, map[string]any{
		"id": r.name, "username": r.name, "acct": r.name, "display_name": r.name,
		"url":             a.base(r.Request) + "/@" + r.name,
		"followers_count": figures.Of(network, r.account()).Followers(a.stage.Clock.Now()), "following_count": 0,
		"statuses_count": len(a.stage.Ledger.List(ledger.Filter{Platform: network, Account: r.account()})),
	})
}

// instance describes the server with the limits of Mastodon's own software.
func (a *API) instance(w http.ResponseWriter, r request) {
	r.answer(w, http.StatusOK, map[string]any{
		"domain": hostOf(r.Request), "title": "Sandbox", "version": "4.5.0",
		"configuration": map[string]any{
			"statuses": map[string]int{
				"max_characters": longestText, "max_media_attachments": mostFiles, "characters_reserved_per_url": 23,
			},
			"media_attachments": map[string]any{
				"supported_mime_types": types(), "image_size_limit": largestImage, "video_size_limit": largestVideo,
				"description_limit": longestDescription, "image_matrix_limit": mostPixels, "video_matrix_limit": mostVideoPixels,
			},
		},
	})
}

// dialect writes Mastodon's error responses.
type dialect struct{ api *API }

// Rejected writes the response to an invalid status.
func (dialect) Rejected(w http.ResponseWriter) { invalid(w, "Text can't be blank") }

// RateLimited writes the response to too many calls, with the time at which the limit resets.
func (d dialect) RateLimited(w http.ResponseWriter, seconds int) {
	reset := d.api.stage.Clock.Now().Add(time.Duration(seconds) * time.Second)
	w.Header().Set("X-Ratelimit-Limit", "300")
	w.Header().Set("X-Ratelimit-Remaining", "0")
	w.Header().Set("X-Ratelimit-Reset", reset.UTC().Format("2006-01-02T15:04:05.000000Z"))
	refuse(w, http.StatusTooManyRequests, "Too many requests")
}

// Unavailable writes the response of a server that is down.
func (dialect) Unavailable(w http.ResponseWriter) {
	refuse(w, http.StatusServiceUnavailable, "There was a temporary problem serving your request, please try again")
}

// Unauthorized writes the response to a token that is no longer accepted.
func (dialect) Unauthorized(w http.ResponseWriter) {
	refuse(w, http.StatusUnauthorized, "The access token was revoked")
}

func invalid(w http.ResponseWriter, message string) {
	refuse(w, http.StatusUnprocessableEntity, "Validation failed: "+message)
}

func missing(w http.ResponseWriter) { refuse(w, http.StatusNotFound, "Record not found") }

// broken reports that the sandbox's own disk failed.
func broken(w http.ResponseWriter) {
	refuse(w, http.StatusInternalServerError, "We're sorry, but something went wrong on our end.")
}

// refuse writes Mastodon's error format.
func refuse(w http.ResponseWriter, status int, message string) {
	stage.JSON(w, status, map[string]string{"error": message})
}
