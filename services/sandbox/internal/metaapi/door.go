// Package metaapi contains the shared parts of the sandbox's Instagram and Threads APIs: authentication, error
// responses, token refresh, insights, and the containers that posts are made from.
package metaapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

// Codes of Meta's errors.
const (
	codeParameter  = 100
	codeToken      = 190
	subcodeExpired = 463
)

// LongLived returns the rules for tokens of Instagram Login and of Threads. They expire after sixty days, and are renewed
// while they are valid and at least a day old.
func LongLived(basic string, scopes ...string) []token.Policy {
	const life, youngest = 60 * 24 * time.Hour, 24 * time.Hour
	return []token.Policy{{
		Access: life, NoRefresh: true, Youngest: youngest, RenewalScope: basic, Scopes: append([]string{basic}, scopes...),
	}}
}

// Door authenticates the calls to one network and writes its errors.
type Door struct {
	Stage   *stage.Stage
	Network channel.Network
	// ErrorType is the type in the network's errors.
	ErrorType string
	// LimitCode is the error code for too many calls.
	LimitCode int
	// Grant is the grant_type of a token refresh.
	Grant string
	// Denied is the error code for a missing permission.
	Denied int
	// Posts is the number of posts that an account may publish per day.
	Posts int
	// Role is the role of the tokens that the door accepts.
	Role string
}

// Refuses writes Meta's error if the call requests a field that the node does not have.
func (d Door) Refuses(w http.ResponseWriter, r Request, node *Node) bool {
	return node.Refuses(w, r.Values, d.Error)
}

// Fields returns the call if it requests only fields of the node.
func (d Door) Fields(node *Node, next func(http.ResponseWriter, Request)) func(http.ResponseWriter, Request) {
	return func(w http.ResponseWriter, r Request) {
		if !d.Refuses(w, r, node) {
			next(w, r)
		}
	}
}

// Request is an authenticated call.
type Request struct {
	*http.Request

	Account string
	Values  url.Values // from the query and the form
	held    []stage.Held
}

// As authenticates a call by its parameter or header, checks its permissions, and applies the faults of the step. A
// create call with the address of a file is also an upload step.
func (d Door) As(step fault.Step, scopes []string, next func(http.ResponseWriter, Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := stage.ReadBody(w, r)
		if !ok {
			return
		}
		values := stage.Parameters(r, body)
		grant, err := d.Stage.Tokens.Access(string(d.Network), stage.AccessToken(r, values), scopes...)
		if err == nil && grant.Role != d.Role { // a token for another host
			err = token.ErrInvalid
		}
		if err != nil {
			d.refused(w, grant, err)
			return
		}
		request := Request{Request: r, Account: grant.Account, Values: values}
		steps := []fault.Step{step}
		if step == fault.StepCreate && (values.Has("image_url") || values.Has("video_url")) {
			steps = []fault.Step{fault.StepUpload, step}
		}
		for _, step := range steps {
			held, ok := d.Stage.Enter(w, r, stage.Call{Network: d.Network, Account: grant.Account, Step: step, Grant: grant}, d)
			if !ok {
				return
			}
			request.held = append(request.held, held)
		}
		if user := r.PathValue("user"); user != "" && user != "me" && user != grant.Account {
			d.Missing(w)
			return
		}
		next(w, request)
	}
}

// Answer writes the response unless a fault withholds it.
func (r Request) Answer(w http.ResponseWriter, value any) {
	for _, held := range r.held {
		if held.Lost(w, r.Request) {
			return
		}
	}
	stage.JSON(w, http.StatusOK, value)
}

// Post returns the account's post with that id.
func (d Door) Post(r Request, id string) (ledger.Post, bool) {
	post, ok := d.Stage.Ledger.Get(string(d.Network), id)
	return post, ok && post.Account == r.Account
}

// refused writes the response to a token that is not accepted, for the reason in the error.
func (d Door) refused(w http.ResponseWriter, grant token.Grant, reason error) {
	switch {
	case errors.Is(reason, token.ErrScope):
		d.Error(w, http.StatusBadRequest, d.Denied, 0,
			fmt.Sprintf("(#%d) Application does not have permission for this action", d.Denied))
	case errors.Is(reason, token.ErrYoung):
		// Meta documents the rule, but not the words.
		d.Error(w, http.StatusBadRequest, codeToken, 0,
			"Error validating access token: the token can be refreshed only 24 hours after it was issued")
	case errors.Is(reason, token.ErrExpired):
		d.Error(w, http.StatusBadRequest, codeToken, subcodeExpired, SessionExpired(grant, d.Stage.Clock.Now()))
	default:
		d.Error(w, http.StatusBadRequest, codeToken, 0, "Invalid OAuth access token - Cannot parse access token")
	}
}

// Refresh returns a new long-lived token for one that is valid and a day old. The old one stays valid until its end.
func (d Door) Refresh(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	if asked.Get("grant_type") != d.Grant {
		d.Rejected(w)
		return
	}
	refresh := stage.Refresh{
		Network: d.Network, Token: asked.Get("access_token"), LongLived: true, Dialect: d, Refused: d.refused,
	}
	d.Stage.Refresh(w, r, refresh, func(t stage.Tokens) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"access_token": t.Access, "token_type": "bearer", "expires_in": t.ExpiresIn,
		})
	})
}

// Rejected writes Meta's response to an invalid parameter.
func (d Door) Rejected(w http.ResponseWriter) {
	d.Error(w, http.StatusBadRequest, 100, 0, "Invalid parameter")
}

// RateLimited writes Meta's response to too many calls. Meta reports whole minutes. Retry-After adds the seconds, so
// that a test need not wait for a minute.
func (d Door) RateLimited(w http.ResponseWriter, seconds int) {
	const minute = 60
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	w.Header().Set("X-Business-Use-Case-Usage", fmt.Sprintf(
		`{"1":[{"type":%q,"call_count":100,"estimated_time_to_regain_access":%d}]}`, d.Network, (seconds+minute-1)/minute))
	d.Error(w, http.StatusTooManyRequests, d.LimitCode, 0, "There have been too many calls. Wait a bit and try again.")
}

// Unavailable writes Meta's response when a service is down.
func (d Door) Unavailable(w http.ResponseWriter) {
	d.Error(w, http.StatusServiceUnavailable, 2, 0, "Service temporarily unavailable")
}

// Unauthorized writes Meta's response to a token that just expired. Meta has no HTTP status of its own for it.
func (d Door) Unauthorized(w http.ResponseWriter) {
	now := d.Stage.Clock.Now()
	d.refused(w, token.Grant{ExpiresAt: now}, token.ErrExpired)
}

// SessionExpired returns Meta's words for an expired token. A token that a fault expired has just expired.
func SessionExpired(grant token.Grant, now time.Time) string {
	const written = "Monday, 02-Jan-06 15:04:05 MST"
	ended := grant.ExpiresAt
	if ended.IsZero() || ended.After(now) {
		ended = now
	}
	return "Error validating access token: Session has expired on " + ended.In(pacific()).Format(written) +
		". The current time is " + now.In(pacific()).Format(written) + "."
}

// Missing writes Meta's response for an object that does not exist or does not belong to the account.
func (d Door) Missing(w http.ResponseWriter) {
	d.Error(w, http.StatusBadRequest, 100, 33,
		"Unsupported request. Object does not exist or cannot be loaded due to missing permissions")
}

// Unknown writes the response to a call that the sandbox does not have.
func (d Door) Unknown(w http.ResponseWriter, _ *http.Request) {
	d.Error(w, http.StatusNotFound, 100, 0, "The sandbox does not have this call.")
}

// Error writes Meta's error shape.
func (d Door) Error(w http.ResponseWriter, status, code, subcode int, message string) {
	body := map[string]any{
		"message": message, "type": d.ErrorType, "code": code, "is_transient": code == 2, "fbtrace_id": "sandbox",
	}
	if subcode != 0 {
		body["error_subcode"] = subcode
	}
	stage.JSON(w, status, map[string]any{"error": body})
}
