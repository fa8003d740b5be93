// Package metaapi contains what the sandbox's Facebook, Instagram and Threads APIs have in common: authentication,
// error responses, the login, fields, lists, insights, and the containers that posts are made from.
package metaapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
)

// Codes of Meta's errors.
const (
	codePath       = 2500
	codeDenied     = 10
	codeParameter  = 100
	codeToken      = 190
	subcodeExpired = 463
)

// Messages of Meta's errors.
const (
	unparsed = "Invalid OAuth access token - Cannot parse access token"
	denied   = "(#10) Application does not have permission for this action"
	missing  = "Unsupported request. Object does not exist, cannot be loaded due to missing permissions, or does not " +
		"support this operation"
)

// LongLived returns the rules for tokens of Instagram Login and of Threads. They expire after sixty days, and are
// renewed while they are valid and at least a day old.
func LongLived(basic string, scopes ...string) token.Policy {
	const life, youngest = 60 * 24 * time.Hour, 24 * time.Hour
	return token.Policy{
		Access: life, NoRefresh: true, Youngest: youngest, RenewalScope: basic, Scopes: append([]string{basic}, scopes...),
	}
}

// PageTokens returns the rules for tokens of Pages. They have no end, but the access to data ends 90 days after the
// login.
func PageTokens(role string, scopes ...string) token.Policy {
	const dataAccess = 90 * 24 * time.Hour
	return token.Policy{Role: role, NoRefresh: true, DataAccess: dataAccess, Scopes: scopes}
}

// API serves the calls of one network of Meta at one host.
type API struct {
	stage.Service
	*Containers

	ErrorType string // in the network's errors
	Limit     int    // error code for too many calls
	Usage     string // name of the limited object in the header of the limit
	Posts     int    // that an account may publish per day
	Replies   int    // the same of replies to its own posts
	Days      int    // of the longest range of a request for metrics
	Rules     Rules
}

// Mount returns Mount of a network that has containers with this prefix of their ids in the folder, and nothing else.
func Mount(name, prefix string, register func(*http.ServeMux, *stage.Stage, *Containers)) func(
	*http.ServeMux, *stage.Stage, string) (stage.State, error) {
	return stage.Stored(name, func(mux *http.ServeMux, s *stage.Stage, store *mediastore.Uploads[Container]) {
		register(mux, s, &Containers{Uploads: store, prefix: prefix, stage: s})
	})
}

// Route declares a call.
type Route struct {
	Pattern string // method, and path after the version
	Step    stage.Step
	Scopes  string // separated by spaces
	Files   int64  // largest file of a form, in bytes
	Node    *Node  // the type of the objects in the response; nil: the call checks the fields
	Serve   func(stage.Request) stage.Response
}

var versionPattern = regexp.MustCompile(`^v[1-9][0-9]{0,2}\.[0-9]$`)

// Versioned reports whether the path of the request has a version.
func Versioned(r *http.Request) bool { return versionPattern.MatchString(r.PathValue("version")) }

// Handle registers the calls, and the response to all other paths. A path names the account as {user}.
func (a *API) Handle(mux *http.ServeMux, routes []Route) {
	a.prepare()
	a.register(mux, routes)
	a.Service.Handle(mux, nil)
}

// prepare completes the declaration.
func (a *API) prepare() {
	a.Forms, a.Token, a.Words, a.Check = true, AccessToken, a.words(), a.checkAccount
	a.Broken = a.Words.Unavailable
	if a.Refused == nil {
		a.Refused = a.Refuse
	}
}

func (a *API) register(mux *http.ServeMux, routes []Route) {
	for _, route := range routes {
		method, path, _ := strings.Cut(route.Pattern, " ")
		a.HandleAt(mux, stage.Route{
			Pattern: method + " " + a.Prefix + "/{version}" + path, Step: route.Step, Scopes: route.Scopes,
			Files: route.Files, Serve: func(r stage.Request) stage.Response {
				if route.Node != nil {
					if _, bad := a.Fields(r, route.Node); bad.Broken {
						return bad.Fault
					}
				}
				return route.Serve(r)
			},
		})
	}
}

// checkAccount refuses a call for another account.
func (a *API) checkAccount(r stage.Request) (stage.Request, stage.Check) {
	user := r.PathValue("user")
	return r, stage.If(user != "" && user != "me" && user != r.Account, a.NotFound())
}

// AccessToken returns the token of a call: a parameter or a header. A call without a version has none.
func AccessToken(r stage.Request) string {
	if oauth, ok := strings.CutPrefix(r.Header.Get("Authorization"), "OAuth "); ok && Versioned(r.Request) {
		return oauth
	}
	if !Versioned(r.Request) {
		return ""
	}
	return stage.AccessToken(r.Request, r.Values)
}

// Refuse returns the response to a token that is not accepted, for the reason in the error.
func (a *API) Refuse(r stage.Request, reason error) stage.Response {
	if !Versioned(r.Request) {
		return a.Missing
	}
	return a.refused(r.Grant, reason)
}

func (a *API) refused(grant token.Grant, reason error) stage.Response {
	switch {
	case errors.Is(reason, token.ErrScope):
		return a.Error(codeDenied, 0, denied)
	case errors.Is(reason, token.ErrYoung): // Meta documents the rule, but not the words.
		return a.Error(codeToken, 0, "Error validating access token: the token can be refreshed only 24 hours after it was "+
			"issued")
	case errors.Is(reason, token.ErrExpired):
		return a.Error(codeToken, subcodeExpired, sessionExpired(grant, a.Stage.Clock.Now()))
	case errors.Is(reason, token.ErrData): // Meta documents that calls fail, but not the words.
		return a.Error(codeToken, 0, "Error validating access token: Data access has expired. The user has to log in again.")
	default:
		return a.Error(codeToken, 0, unparsed)
	}
}

// words returns Meta's responses to faults. A token that a fault expired has just expired.
func (a *API) words() stage.Words {
	unavailable := a.error(http.StatusServiceUnavailable, 2, 0, "Service temporarily unavailable")
	return stage.Words{
		Rejected: a.Invalid("Invalid parameter"), Unavailable: unavailable, Wait: a.wait,
		Unauthorized: a.error(http.StatusBadRequest, codeToken, subcodeExpired, lazy(func() any {
			return sessionExpired(token.Grant{}, a.Stage.Clock.Now())
		})),
		Limited: a.error(http.StatusTooManyRequests, a.Limit, 0, "There have been too many calls. Wait a bit and try again."),
	}
}

// wait adds the time to wait. Meta reports whole minutes. Retry-After adds the seconds, so that a test need not wait
// for a minute.
func (a *API) wait(limited stage.Response, seconds int) stage.Response {
	const minute = 60
	return limited.With("Retry-After", strconv.Itoa(seconds)).With("X-Business-Use-Case-Usage", fmt.Sprintf(
		`{"1":[{"type":%q,"call_count":100,"total_cputime":1,"total_time":1,"estimated_time_to_regain_access":%d}]}`,
		a.Usage, (seconds+minute-1)/minute))
}

// lazy is a value that is known when the response is written.
type lazy func() any

// MarshalJSON encodes the value.
func (l lazy) MarshalJSON() ([]byte, error) { return json.Marshal(l()) }

// sessionExpired returns Meta's words for an expired token.
func sessionExpired(grant token.Grant, now time.Time) string {
	const written = "Monday, 02-Jan-06 15:04:05 MST"
	ended := grant.ExpiresAt
	if ended.IsZero() || ended.After(now) {
		ended = now
	}
	return "Error validating access token: Session has expired on " + ended.In(pacific()).Format(written) +
		". The current time is " + now.In(pacific()).Format(written) + "."
}

// NotFound is Meta's response for an object that does not exist or does not belong to the account.
func (a *API) NotFound() stage.Response { return a.Error(codeParameter, 33, missing) }

// Invalid is the response to an invalid parameter.
func (a *API) Invalid(message string) stage.Response { return a.Error(codeParameter, 0, message) }

// Error is a response in Meta's error shape.
func (a *API) Error(code, subcode int, message string) stage.Response {
	return a.error(http.StatusBadRequest, code, subcode, message)
}

// Unknown is the response to a call that the sandbox does not have.
func (a *API) Unknown(status, code int) stage.Response {
	return a.error(status, code, 0, "Unknown path components: the sandbox does not have this call.")
}

func (a *API) error(status, code, subcode int, message any) stage.Response {
	body := stage.Object{
		"message": message, "type": a.ErrorType, "code": code, "is_transient": code == 2, "fbtrace_id": "sandbox",
	}
	if subcode != 0 {
		body["error_subcode"] = subcode
	}
	return stage.Refuse(status, stage.Object{"error": body})
}

// Fetches returns the steps of a call: a creation with the address of a file is an upload too.
func Fetches(r stage.Request, step stage.Step) []stage.Step {
	if step == stage.StepCreate && (r.Values.Has("image_url") || r.Values.Has("video_url")) {
		return []stage.Step{stage.StepUpload, step}
	}
	return []stage.Step{step}
}

// Status returns the state of a container of a network whose posts are made from one container.
func (a *API) Status(c Container) string {
	if _, published := a.Stage.Ledger.FromOrigin(string(a.Network), c.ID); published {
		return Published
	}
	return a.State(c)
}

// Release publishes a container that is finished, once, and responds with the post's id. If the sandbox is strict, an
// account has a number of posts a day.
func (a *API) Release(r stage.Request, c Container) stage.Response {
	most, isReply := a.Posts, c.Parent != ""
	if isReply {
		most = a.Replies
	}
	if a.Stage.Strict() && a.used(r.Account, isReply) >= most {
		return a.Error(9, 2207042, "Application request limit reached: the account has published the maximum number of "+
			"posts that its daily publishing quota allows")
	}
	draft := a.Draft(r)
	draft.Text, draft.Media, draft.Details, draft.Origin, draft.OneOrigin = c.Text, c.Media, c.Details, c.ID, true
	draft.Parent = c.Parent
	post, err := a.Stage.Ledger.Publish(draft)
	if errors.Is(err, ledger.ErrPublished) {
		return a.Rules.Unknown
	}
	return a.After(err, stage.OK(map[string]string{"id": post.ID}))
}

// day is the window of the publishing quota.
const day = 24 * time.Hour

// Recent selects the account's posts of the last day.
func (a *API) Recent(account string) ledger.Filter {
	return ledger.Filter{Platform: string(a.Network), Account: account, Since: a.Stage.Clock.Now().Add(-day)}
}

// used returns the number of the account's posts, or of its replies, in the last day.
func (a *API) used(account string, replies bool) int {
	return len(slices.DeleteFunc(a.Stage.Ledger.List(a.Recent(account)),
		func(p ledger.Post) bool { return (p.Parent != "") != replies }))
}

// Quota returns the number of the account's posts in the last day, and the limit. The sandbox enforces it only if it is
// strict, so that load tests measure the service.
func (a *API) Quota(r stage.Request) stage.Response {
	return stage.OK(stage.Object{"data": []stage.Object{{
		"quota_usage": a.used(r.Account, false),
		"config":      stage.Object{"quota_total": a.Posts, "quota_duration": int(day.Seconds())},
	}}})
}

// Time returns a time in Meta's form.
func Time(at time.Time) string { return at.Format("2006-01-02T15:04:05-0700") }
