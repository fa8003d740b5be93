// Package linkedinapi is the sandbox's LinkedIn API: posts, their media, statistics, and tokens.
//
// A person and an organization have separate tokens, because LinkedIn grants them to separate applications: the token of
// an organization has the role organization, and is that of a member who administers it.
package linkedinapi

import (
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const (
	network  = string(channel.NetworkLinkedIn)
	protocol = "2.0.0"
)

// API serves LinkedIn's calls.
type API struct {
	stage  *stage.Stage
	assets *Assets
}

// register adds the calls under /linkedin, and the addresses of uploads.
func register(mux *http.ServeMux, s *stage.Stage, assets *Assets) {
	a := &API{stage: s, assets: assets}
	a.registerMedia(mux)
	mux.HandleFunc("POST /linkedin/rest/posts", a.as(fault.StepCommit, nil, a.versioned(a.create)))
	mux.HandleFunc("GET /linkedin/rest/posts", a.as(fault.StepStatus, readPages(), a.versioned(a.list)))
	mux.HandleFunc("GET /linkedin/rest/posts/{urn}", a.as(fault.StepStatus, readPages(), a.versioned(a.one)))
	mux.HandleFunc("DELETE /linkedin/rest/posts/{urn}", a.as(fault.StepOther, nil, a.versioned(a.remove)))
	mux.HandleFunc("GET /linkedin/rest/organizationalEntityShareStatistics",
		a.as(fault.StepStatus, adminPages(), a.versioned(a.shareStatistics)))
	mux.HandleFunc("GET /linkedin/rest/organizationPageStatistics", a.as(fault.StepStatus, adminPages(), a.versioned(a.pageStatistics)))
	mux.HandleFunc("GET /linkedin/rest/networkSizes/{urn}", a.as(fault.StepStatus, readPages(), a.versioned(a.networkSize)))
	mux.HandleFunc("GET /linkedin/v2/userinfo", a.as(fault.StepStatus, []string{scopeOpenID, scopeProfile}, a.me))
	mux.HandleFunc("GET /linkedin/rest/organizationAcls", a.as(fault.StepStatus, adminPages(), a.versioned(a.roles)))
	mux.HandleFunc("POST /linkedin/oauth/v2/accessToken", a.refresh)
	mux.HandleFunc("POST /linkedin/oauth/v2/revoke", a.revoke)
	mux.HandleFunc("GET /linkedin/rest/organizations/{id}",
		a.as(fault.StepStatus, adminPages(), a.versioned(a.organization)))
	s.Authorize(mux, dialog())
	mux.HandleFunc("GET /linkedin/feed/update/{urn}/{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, stage.Page(ledger.Post{Platform: network, ID: r.PathValue("urn")}), http.StatusFound)
	})
	mux.HandleFunc("/linkedin/", func(w http.ResponseWriter, _ *http.Request) {
		problem(w, http.StatusNotFound, 0, "RESOURCE_NOT_FOUND", "The sandbox does not have this call.")
	})
}

// request is an authenticated call.
type request struct {
	*http.Request

	account string
	grant   token.Grant
	body    []byte
	held    stage.Held
}

// as authenticates the call, checks the scopes, and applies faults.
func (a *API) as(step fault.Step, scopes []string, next func(http.ResponseWriter, request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := stage.ReadBody(w, r)
		if !ok {
			return
		}
		w.Header().Set("X-Restli-Protocol-Version", protocol)
		bearer := stage.Bearer(r)
		if bearer == "" {
			problem(w, http.StatusUnauthorized, 65604, "EMPTY_ACCESS_TOKEN", "Empty oauth2 access token")
			return
		}
		grant, err := a.stage.Tokens.Access(network, bearer, scopes...)
		switch {
		case errors.Is(err, token.ErrScope):
			denied(w, resource(r))
			return
		case errors.Is(err, token.ErrInvalid):
			problem(w, http.StatusUnauthorized, 65600, "INVALID_ACCESS_TOKEN", "Invalid access token")
			return
		case err != nil:
			dialect{}.Unauthorized(w)
			return
		}
		call := stage.Call{Network: channel.NetworkLinkedIn, Account: grant.Account, Step: step, Grant: grant}
		if held, ok := a.stage.Enter(w, r, call, dialect{}); ok {
			next(w, request{Request: r, account: grant.Account, grant: grant, body: body, held: held}.acting())
		}
	}
}

var versionPattern = regexp.MustCompile(`^20[0-9]{2}(0[1-9]|1[0-2])$`)

// serving returns the oldest and the newest version that LinkedIn serves. It releases one a month, and ends each on the
// sixteenth of the same month a year later (202511 ended on 16 November 2026).
func serving(now time.Time) (oldest, newest string) {
	const form, ends = "200601", 16
	month := now.AddDate(0, 0, 1-now.Day())
	newest, oldest = month.Format(form), month.AddDate(-1, 0, 0).Format(form)
	if now.Day() >= ends {
		oldest = month.AddDate(-1, 1, 0).Format(form)
	}
	return oldest, newest
}

// versioned checks the headers that calls under /rest require.
func (a *API) versioned(next func(http.ResponseWriter, request)) func(http.ResponseWriter, request) {
	return func(w http.ResponseWriter, r request) {
		version := r.Header.Get("Linkedin-Version")
		oldest, newest := serving(a.now())
		switch {
		case version == "":
			problem(w, http.StatusBadRequest, 0, "VERSION_MISSING",
				"A version must be present. Please specify a version by adding the LinkedIn-Version header.")
		case !versionPattern.MatchString(version):
			problem(w, http.StatusBadRequest, 0, "INVALID_VERSION", "The version must have the form YYYYMM.")
		case version < oldest, version > newest:
			problem(w, http.StatusUpgradeRequired, 0, "NONEXISTENT_VERSION", "Requested version "+version+"01 is not active")
		case r.Header.Get("X-Restli-Protocol-Version") != protocol:
			problem(w, http.StatusBadRequest, 0, "INVALID_PROTOCOL_VERSION",
				"The header X-Restli-Protocol-Version must be "+protocol+".")
		default:
			next(w, r)
		}
	}
}

// The URN prefixes of authors.
const (
	person       = "urn:li:person:"
	organization = "urn:li:organization:"
)

// author returns the URN that the token acts for.
func (r request) author() string {
	if r.grant.Role == roleOrganization {
		return organization + r.account
	}
	return person + r.account
}

// mayPost reports whether the token may publish and delete posts of the author.
func (r request) mayPost(author string) bool {
	scope := scopeShare
	if r.grant.Role == roleOrganization {
		scope = scopePageShare
	}
	return author == r.author() && r.grant.Has(scope)
}

// resource returns LinkedIn's name of the called resource and method, as far as the path and the finder show them.
func resource(r *http.Request) string {
	name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/linkedin/"), "rest/"), "v2/")
	name, _, keyed := strings.Cut(name, "/")
	switch finder := r.URL.Query().Get("q"); {
	case finder != "":
		return name + ".FINDER-" + finder
	case keyed || r.Method == http.MethodGet:
		return name + "." + r.Method
	default:
		return name + ".CREATE"
	}
}

// dialect writes LinkedIn's error responses.
type dialect struct{}

// Rejected writes LinkedIn's response to content that it does not accept.
func (dialect) Rejected(w http.ResponseWriter) {
	inputProblem(w, http.StatusUnprocessableEntity, "INVALID_CONTENT", "The content of the post is not accepted")
}

// RateLimited writes the retry delay in seconds, which LinkedIn itself does not always do.
func (dialect) RateLimited(w http.ResponseWriter, seconds int) {
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	problem(w, http.StatusTooManyRequests, 101, "TOO_MANY_REQUESTS",
		"Resource level throttle limit for calls to this resource is reached.")
}

// Unavailable writes LinkedIn's response when its servers are down.
func (dialect) Unavailable(w http.ResponseWriter) {
	problem(w, http.StatusServiceUnavailable, 0, "SERVICE_UNAVAILABLE", "Service Unavailable")
}

// Unauthorized writes LinkedIn's response to an invalid token.
func (dialect) Unauthorized(w http.ResponseWriter) {
	problem(w, http.StatusUnauthorized, 65602, "EXPIRED_ACCESS_TOKEN", "The token used in the request has expired")
}

func denied(w http.ResponseWriter, what string) {
	problem(w, http.StatusForbidden, 100, "ACCESS_DENIED", "Not enough permissions to access: "+what)
}

// problem writes LinkedIn's error shape. It omits a service code of zero.
func problem(w http.ResponseWriter, status, service int, code, message string) {
	body := map[string]any{"status": status, "code": code, "message": message}
	if service != 0 {
		body["serviceErrorCode"] = service
	}
	w.Header().Set("X-Restli-Error-Response", "true")
	stage.JSON(w, status, body)
}

// inputProblem writes LinkedIn's shape of content errors, whose code is only in the details.
func inputProblem(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("X-Restli-Error-Response", "true")
	stage.JSON(w, status, map[string]any{
		"errorDetailType": "com.linkedin.common.error.BadRequest", "status": status,
		"message": "com.linkedin.content.common.exception.BadRequestResponseException: " + message,
		"errorDetails": map[string]any{"inputErrors": []map[string]any{
			{"code": code, "description": message, "input": map[string]any{}},
		}},
	})
}

func (a *API) me(w http.ResponseWriter, r request) {
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, map[string]any{"sub": r.account, "name": name(r.account), "picture": nil})
	}
}

// name returns the display name of an account.
func name(account string) string {
	if _, err := strconv.ParseUint(account, 10, 64); err == nil {
		return "Account " + account
	}
	return strings.TrimPrefix(account, "@")
}

// roles returns the organizations that the token's member may publish to: the one with the account's id.
func (a *API) roles(w http.ResponseWriter, r request) {
	if r.Header.Get("X-Restli-Method") != "FINDER" || r.URL.Query().Get("q") != "roleAssignee" {
		problem(w, http.StatusBadRequest, 0, "ILLEGAL_ARGUMENT",
			"Roles are found only by their assignee, with X-RestLi-Method: FINDER.")
		return
	}
	role := func(name, role string) map[string]any {
		return map[string]any{
			"role": role, "state": "APPROVED", "roleAssignee": person + r.account, "organization": organization + name,
		}
	}
	own := "ADMINISTRATOR"
	if strings.Contains(r.account, "contentadmin") {
		own = "CONTENT_ADMINISTRATOR"
	}
	roles := []map[string]any{role(r.account, own)}
	if r.grant.App != "" { // a member who connected through the authorization page
		roles = append(roles, role(r.account+"-labs", "CONTENT_ADMINISTRATOR"), role(r.account+"-press", "ANALYST"))
	}
	r.elements(w, roles)
}

// organization describes an organization at which the member has a role.
func (a *API) organization(w http.ResponseWriter, r request) {
	id := r.PathValue("id")
	if !stage.Owns(r.account, id) {
		denied(w, "organizations.GET")
		return
	}
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, map[string]any{"id": id, "localizedName": name(id), "vanityName": id})
	}
}

// acting returns the request with the account of the organization that its address names, if any.
func (r request) acting() request {
	acting := r.actingFor(r.PathValue("urn"))
	for _, values := range r.URL.Query() {
		for _, value := range values {
			acting = acting.actingFor(value)
		}
	}
	return acting
}

// actingFor returns the request with the account of an organization of the member, if the URN names one.
func (r request) actingFor(urn string) request {
	id, ok := strings.CutPrefix(urn, organization)
	if ok && r.grant.Role == roleOrganization && stage.Owns(r.grant.Account, id) {
		r.account = id
	}
	return r
}
