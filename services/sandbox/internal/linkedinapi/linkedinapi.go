// Package linkedinapi is the sandbox's LinkedIn API: posts, their media, statistics, and tokens.
//
// A person and an organization have separate tokens, because LinkedIn grants them to separate applications: the token of
// an organization has the role organization, and is that of a member who administers it.
package linkedinapi

import (
	"cmp"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const (
	network  = string(channel.NetworkLinkedIn)
	protocol = "2.0.0"
	day      = 24 * time.Hour

	// roleOrganization is the role in the tokens of an organization.
	roleOrganization = "organization"
	readPages        = "r_organization_social"
	adminPages       = "rw_organization_admin"

	// The URN prefixes of authors.
	person       = "urn:li:person:"
	organization = "urn:li:organization:"
)

// Network declares LinkedIn. An id has the milliseconds since 1970, then 22 bits. LinkedIn does not publish its limits;
// integrators report 150 posts a day for each member.
func Network() stage.Network {
	member := token.Policy{
		Access: 60 * day, Refresh: 365 * day, FixedRefresh: true, Scopes: []string{"openid", "profile", "w_member_social"},
	}
	page := member
	page.Role, page.Scopes = roleOrganization, []string{"w_organization_social", readPages, adminPages, writeFeed, readFeed}
	return stage.Network{
		ID: channel.NetworkLinkedIn, Tokens: []token.Policy{member, page}, Mount: stage.Stored("linkedin-assets", mount),
		IDs: ledger.IDs{
			Prefix: func(string) string { return "urn:li:share:" },
			Floor:  func(now time.Time) int64 { return now.UnixMilli() << 22 },
		},
	}
}

// api serves LinkedIn's calls.
type api struct {
	*stage.Service

	assets *mediastore.Uploads[asset]
	board  stage.Board // of comments
}

func mount(mux *http.ServeMux, s *stage.Stage, assets *mediastore.Uploads[asset]) {
	words := stage.Words{
		Rejected: inputProblem(http.StatusUnprocessableEntity, "INVALID_CONTENT", "The content of the post is not accepted"),
		Limited: problem(http.StatusTooManyRequests, 101, "TOO_MANY_REQUESTS",
			"Resource level throttle limit for calls to this resource is reached."),
		Unavailable: problem(http.StatusServiceUnavailable, 0, "SERVICE_UNAVAILABLE", "Service Unavailable"),
		Unauthorized: problem(http.StatusUnauthorized, 65602, "EXPIRED_ACCESS_TOKEN",
			"The token used in the request has expired"),
	}
	a := &api{assets: assets}
	a.Service = &stage.Service{
		Stage: s, Network: channel.NetworkLinkedIn, Prefix: "/linkedin", Words: words, Refused: a.refused, Check: a.check,
		Header: map[string]string{"X-Restli-Protocol-Version": protocol}, Window: day,
		Missing: problem(http.StatusNotFound, 0, "RESOURCE_NOT_FOUND", "The sandbox does not have this call."),
		Broken:  problem(http.StatusInternalServerError, 0, "INTERNAL_SERVER_ERROR", "The sandbox's files cannot be written."),
	}
	const status = stage.StepStatus
	routes := []stage.Route{
		{Pattern: "POST /rest/posts", Step: stage.StepCommit, Serve: a.create, Calls: 150},
		{Pattern: "GET /rest/posts", Step: status, Scopes: readPages, Serve: a.list},
		{Pattern: "GET /rest/posts/{urn}", Step: status, Scopes: readPages, Serve: a.one},
		{Pattern: "DELETE /rest/posts/{urn}", Step: stage.StepOther, Serve: a.remove},
		{Pattern: "GET /rest/organizationalEntityShareStatistics", Step: status, Scopes: adminPages, Serve: a.shares},
		{Pattern: "GET /rest/organizationPageStatistics", Step: status, Scopes: adminPages, Serve: a.pageStatistics},
		{Pattern: "GET /rest/networkSizes/{urn}", Step: status, Scopes: readPages, Serve: a.networkSize},
		{Pattern: "GET /v2/userinfo", Step: status, Scopes: "openid profile", Serve: a.me},
		{Pattern: "GET /rest/organizationAcls", Step: status, Scopes: adminPages, Serve: roles},
		{Pattern: "GET /rest/organizations/{id}", Step: status, Scopes: adminPages, Serve: describe},
	}
	for _, kind := range []assetKind{kindImage, kindDocument, kindVideo} {
		path := " /rest/" + string(kind)
		routes = append(routes, stage.Route{Pattern: "POST" + path, Step: stage.StepUpload, Serve: a.action(kind)},
			stage.Route{Pattern: "GET" + path + "/{urn}", Step: status, Serve: a.state(kind)})
	}
	a.Handle(mux, append(routes, a.commentRoutes()...))
	mux.HandleFunc("PUT "+uploadPath+"/{id}/{part}", a.receive)
	mux.HandleFunc("GET /linkedin/feed/update/{id}/{$}", func(w http.ResponseWriter, r *http.Request) {
		id := strings.Replace(r.PathValue("id"), activityPrefix, sharePrefix, 1)
		http.Redirect(w, r, stage.Page(ledger.Post{Platform: network, ID: id}), http.StatusFound)
	})
	s.AuthorizationServer(mux, authorization(words))
}

// authorization declares LinkedIn's authorization server. One application has the permissions of members, another those
// of pages. A refresh token stays the same, with its end.
func authorization(words stage.Words) stage.Authorization {
	words.Rejected = stage.OAuthError(http.StatusBadRequest, "invalid_grant",
		"The provided refresh token is invalid, expired or revoked")
	words.Unauthorized = words.Rejected
	return stage.Authorization{
		Dialog: stage.Dialog{
			Network: channel.NetworkLinkedIn, Path: "/linkedin/oauth/v2/authorization", Life: 30 * time.Minute,
			Denied: "user_cancelled_authorize", Picks: "the organization, if the application asks for organizations",
			Roles: []string{"", roleOrganization},
		},
		Tokens: map[string]string{"POST /linkedin/oauth/v2/accessToken": ""}, Words: words,
		Revoke: "POST /linkedin/oauth/v2/revoke", RevokeNeedsClient: true, Revoked: stage.Empty(http.StatusOK),
		Body: func(t stage.Tokens) any {
			t.Refresh = cmp.Or(t.Sent, t.Refresh)
			body := t.Form("Bearer", ",")
			body["refresh_token_expires_in"] = t.RefreshIn
			return body
		},
		Refusals: map[error]stage.Response{
			stage.ErrGrantType: stage.OAuthError(http.StatusBadRequest, "invalid_request",
				`A required parameter "grant_type" is missing`),
			stage.ErrCredentials: stage.OAuthError(http.StatusUnauthorized, "invalid_client", "Client authentication failed"),
			stage.ErrRevoked:     stage.OAuthError(http.StatusBadRequest, "invalid_request", "The token is invalid"),
			stage.ErrCode: stage.OAuthError(http.StatusBadRequest, "invalid_request", "Unable to retrieve access token: "+
				"appid/redirect uri/code verifier does not match authorization code. Or authorization code expired. "+
				"Or external member binding exists"),
		},
	}
}

// refused returns the response to a token that is not accepted.
func (a *api) refused(r stage.Request, reason error) stage.Response {
	switch {
	case stage.Bearer(r.Request) == "":
		return problem(http.StatusUnauthorized, 65604, "EMPTY_ACCESS_TOKEN", "Empty oauth2 access token")
	case errors.Is(reason, token.ErrScope):
		return denied(resource(r))
	case errors.Is(reason, token.ErrInvalid):
		return problem(http.StatusUnauthorized, 65600, "INVALID_ACCESS_TOKEN", "Invalid access token")
	default:
		return a.Words.Unauthorized
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

// check checks the headers that calls under /rest require. It returns the call with the account of the organization that
// its address names, if any.
func (a *api) check(r stage.Request) (stage.Request, stage.Rule[stage.Response]) {
	acting := actingFor(r, r.PathValue("urn"))
	for _, values := range r.Values {
		for _, value := range values {
			acting = actingFor(acting, value)
		}
	}
	if !strings.HasPrefix(r.URL.Path, "/linkedin/rest/") {
		return acting, stage.Rule[stage.Response]{}
	}
	version := r.Header.Get("Linkedin-Version")
	oldest, newest := serving(a.Stage.Clock.Now())
	return acting, stage.If(version == "", badRequest("VERSION_MISSING",
		"A version must be present. Please specify a version by adding the LinkedIn-Version header.")).
		Or(!versionPattern.MatchString(version), badRequest("INVALID_VERSION", "The version must have the form YYYYMM.")).
		Or(version < oldest || version > newest, problem(http.StatusUpgradeRequired, 0, "NONEXISTENT_VERSION",
			"Requested version "+version+"01 is not active")).
		Or(r.Header.Get("X-Restli-Protocol-Version") != protocol, badRequest("INVALID_PROTOCOL_VERSION",
			"The header X-Restli-Protocol-Version must be "+protocol+"."))
}

// actingFor returns the request with the account of an organization of the member, if the URN names one.
func actingFor(r stage.Request, urn string) stage.Request {
	id, ok := strings.CutPrefix(urn, organization)
	if ok && r.Grant.Role == roleOrganization && stage.Owns(r.Grant.Account, id) {
		r.Account = id
	}
	return r
}

// authorOf returns the URN that the token acts for.
func authorOf(r stage.Request) string {
	if r.Grant.Role == roleOrganization {
		return organization + r.Account
	}
	return person + r.Account
}

// mayPost reports whether the token may publish and delete posts of the author.
func mayPost(r stage.Request, author string) bool {
	scope := "w_member_social"
	if r.Grant.Role == roleOrganization {
		scope = "w_organization_social"
	}
	return author == authorOf(r) && r.Grant.Has(scope)
}

// resource returns LinkedIn's name of the called resource and method, as far as the path and the finder show them.
func resource(r stage.Request) string {
	name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/linkedin/"), "rest/"), "v2/")
	name, _, keyed := strings.Cut(name, "/")
	switch finder := r.Values.Get("q"); {
	case finder != "":
		return name + ".FINDER-" + finder
	case keyed || r.Method == http.MethodGet:
		return name + "." + r.Method
	default:
		return name + ".CREATE"
	}
}

func denied(what string) stage.Response {
	return problem(http.StatusForbidden, 100, "ACCESS_DENIED", "Not enough permissions to access: "+what)
}

func badRequest(code, message string) stage.Response {
	return problem(http.StatusBadRequest, 0, code, message)
}

func illegal(message string) stage.Response { return badRequest("ILLEGAL_ARGUMENT", message) }

func invalid(message string) stage.Response { return badRequest("INVALID_INPUT", message) }

// problem returns LinkedIn's error shape. It omits a service code of zero.
func problem(status, service int, code, message string) stage.Response {
	body := stage.Object{"status": status, "code": code, "message": message}
	if service != 0 {
		body["serviceErrorCode"] = service
	}
	return stage.Refuse(status, body).With("X-Restli-Error-Response", "true").With("X-Restli-Protocol-Version", protocol)
}

// inputProblem returns LinkedIn's shape of content errors, whose code is only in the details.
func inputProblem(status int, code, message string) stage.Response {
	return stage.Refuse(status, stage.Object{
		"errorDetailType": "com.linkedin.common.error.BadRequest", "status": status,
		"message": "com.linkedin.content.common.exception.BadRequestResponseException: " + message,
		"errorDetails": stage.Object{"inputErrors": []stage.Object{
			{"code": code, "description": message, "input": stage.Object{}},
		}},
	}).With("X-Restli-Error-Response", "true")
}

func (a *api) me(r stage.Request) stage.Response {
	return stage.OK(stage.Object{"sub": r.Account, "name": name(r.Account), "picture": a.Stage.Avatar(r.Request, r.Account)})
}

// name returns the display name of an account.
func name(account string) string {
	if _, err := strconv.ParseUint(account, 10, 64); err == nil {
		return "Account " + account
	}
	return strings.TrimPrefix(account, "@")
}

// roles returns the organizations that the token's member may publish to: the one with the account's id, and others for a
// member who connected through the authorization page.
func roles(r stage.Request) stage.Response {
	if r.Header.Get("X-Restli-Method") != "FINDER" || r.Values.Get("q") != "roleAssignee" {
		return illegal("Roles are found only by their assignee, with X-RestLi-Method: FINDER.")
	}
	role := func(name, role string) stage.Object {
		return stage.Object{
			"role": role, "state": "APPROVED", "roleAssignee": person + r.Account, "organization": organization + name,
		}
	}
	own := "ADMINISTRATOR"
	if strings.Contains(r.Account, "contentadmin") {
		own = "CONTENT_ADMINISTRATOR"
	}
	roles := []stage.Object{role(r.Account, own)}
	if r.Grant.App != "" {
		roles = append(roles, role(r.Account+"-labs", "CONTENT_ADMINISTRATOR"), role(r.Account+"-press", "ANALYST"))
	}
	return elements(0, 10, roles)
}

// describe describes an organization at which the member has a role.
func describe(r stage.Request) stage.Response {
	id := r.PathValue("id")
	return stage.If(!stage.Owns(r.Account, id), denied("organizations.GET")).
		Else(stage.OK(stage.Object{"id": id, "localizedName": name(id), "vanityName": id}))
}
