// Package tiktokapi is the sandbox's TikTok APIs: posting settings, posts and metrics. TikTok has two products: the Content
// Posting API for personal accounts, and the Accounts API for business accounts.
//
// The settings of an account depend only on its name, so that they are always the same: a name with "private" is a
// private account, one with "nocomment" has comments disabled, one with "banned" may not post, and that of one with
// "oldapp" is not updated. With "unaudited" in the name, the application is not audited, and with "unverified" its
// addresses of files are not verified.
package tiktokapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const (
	network = string(channel.NetworkTikTok)
	day     = 24 * time.Hour
	// roleBusiness is the role in the tokens of the business product, which has other applications.
	roleBusiness = "business"

	scopeInfo    = "user.info.basic"
	scopeVideos  = "video.list"
	scopePublish = "video.publish"
	scopeUpload  = "video.upload"

	publicToEveryone = "PUBLIC_TO_EVERYONE"
	selfOnly         = "SELF_ONLY"
)

// Network declares TikTok.
func Network() stage.Network {
	common := []string{scopeInfo, "user.info.profile", "user.info.stats", scopeVideos, scopePublish, scopeUpload}
	insights := []string{"user.info.username", "user.account.type", "user.insights", "video.insights"}
	return stage.Network{
		ID: channel.NetworkTikTok, Reviews: stage.ReviewEnds(), Mount: stage.Stored("tiktok-posts", mount),
		Tokens: []token.Policy{
			{Access: 2 * time.Hour, Refresh: 180 * day, Rotates: true, Scopes: common},
			{Role: roleBusiness, Access: day, Refresh: 365 * day, Rotates: true, Scopes: append(insights, common...)},
		},
	}
}

// api serves TikTok's calls.
type api struct {
	*stage.Service // the personal product

	business *stage.Service
	posts    *mediastore.Uploads[publication]
}

func mount(mux *http.ServeMux, s *stage.Stage, posts *mediastore.Uploads[publication]) {
	a := &api{posts: posts, Service: personal(s), business: business(s)}
	a.handlePersonal(mux)
	a.handleBusiness(mux)
	for _, kind := range []string{"video", "photo"} {
		for _, prefix := range []string{"/tiktok/", "/tiktok-business/"} {
			s.ToPage(mux, channel.NetworkTikTok, "GET "+prefix+"{name}/"+kind+"/{id}")
		}
	}
}

// personal declares the personal product.
func personal(s *stage.Stage) *stage.Service {
	return &stage.Service{
		Stage: s, Network: channel.NetworkTikTok, Prefix: "/tiktok", Roles: []string{""}, Window: time.Minute,
		Missing: refuse(http.StatusNotFound, "unsupported_path", "The sandbox does not have this call."),
		Broken:  refuse(http.StatusInternalServerError, "internal_error", "The sandbox's files cannot be written."),
		Words: stage.Words{
			Rejected: invalid("One or more fields in the request are invalid."),
			Limited: refuse(http.StatusTooManyRequests, "rate_limit_exceeded",
				"The API rate limit was exceeded. Please try again later."),
			Unavailable: refuse(http.StatusInternalServerError, "internal_error",
				"Something is wrong. Please try again later."),
			Unauthorized: refuse(http.StatusUnauthorized, "access_token_invalid",
				"The access token is invalid or not found in the request."),
			Scope: refuse(http.StatusUnauthorized, "scope_not_authorized",
				"The user did not authorize the scope required for completing this request."),
		},
	}
}

func (a *api) handlePersonal(mux *http.ServeMux) {
	const status, create, publish = stage.StepStatus, stage.StepCreate, "POST /v2/post/publish/"
	a.Handle(mux, []stage.Route{
		{Pattern: publish + "creator_info/query/{$}", Step: status, Scopes: scopePublish, Serve: a.creatorInfo, Calls: 20},
		{Pattern: "GET /v2/user/info/{$}", Step: status, Scopes: scopeInfo, Serve: a.userInfo, Calls: 600},
		{Pattern: "POST /v2/video/query/{$}", Step: status, Scopes: scopeVideos, Serve: a.queryVideos, Calls: 600},
		{Pattern: "POST /v2/video/list/{$}", Step: status, Scopes: scopeVideos, Serve: a.listVideos, Calls: 600},
		{Pattern: publish + "video/init/{$}", Step: create, Scopes: scopePublish, Serve: a.initVideo, Calls: 6},
		{Pattern: publish + "inbox/video/init/{$}", Step: create, Scopes: scopeUpload, Serve: a.initDraft, Calls: 6},
		{Pattern: publish + "content/init/{$}", Step: stage.StepCommit, Scopes: scopePublish, Serve: a.initPhotos, Calls: 6},
		{Pattern: publish + "status/fetch/{$}", Step: status, Scopes: scopePublish, Serve: a.fetchStatus, Calls: 30},
	})
	mux.HandleFunc("PUT "+uploadPath+"{$}", a.upload)
	limited := oauthError(http.StatusTooManyRequests, "rate_limit_exceeded",
		"The API rate limit was exceeded. Please try again later.")
	refused := oauthError(http.StatusBadRequest, "invalid_grant", "Refresh token is invalid or expired.")
	a.Stage.AuthorizationServer(mux, stage.Authorization{
		Dialog: dialog("/tiktok", ""), Tokens: map[string]string{"POST /tiktok/v2/oauth/token/{$}": ""}, ClientFirst: true,
		Revoke: "POST /tiktok/v2/oauth/revoke/{$}", Revoked: stage.Empty(http.StatusOK),
		Body: tokenForm("refresh_expires_in"),
		Words: stage.Words{
			Rejected: refused, Unauthorized: refused, Limited: limited,
			Unavailable: oauthError(http.StatusInternalServerError, "server_error",
				"Something is wrong. Please try again later."),
		},
		Refusals: map[error]stage.Response{
			stage.ErrForm:        oauthError(http.StatusBadRequest, "invalid_request", "The form cannot be read."),
			stage.ErrCredentials: oauthError(http.StatusUnauthorized, "invalid_client", "Client key or secret is incorrect."),
			stage.ErrGrantType: oauthError(http.StatusBadRequest, "unsupported_grant_type",
				"The grant type is not supported."),
			stage.ErrRevoked: oauthError(http.StatusBadRequest, "invalid_request", "The token is invalid."),
			stage.ErrCode:    oauthError(http.StatusOK, "invalid_grant", "Authorization code is expired or invalid."),
		},
	})
}

// dialog declares the page of one of the two products, whose applications differ.
func dialog(prefix, role string) stage.Dialog {
	return stage.Dialog{
		Network: channel.NetworkTikTok, Path: prefix + "/v2/auth/authorize/{$}", ClientKey: "client_key", Separator: ",",
		Life: 10 * time.Minute, Roles: []string{role},
	}
}

// tokenForm returns the members of a response with tokens. The life of the refresh token has another name in each product.
func tokenForm(refreshLife string) func(stage.Tokens) any {
	return func(t stage.Tokens) any {
		body := t.Form("Bearer", ",")
		body["open_id"], body[refreshLife] = t.Account, t.RefreshIn
		return body
	}
}

func oauthError(status int, code, description string) stage.Response {
	return stage.Refuse(status, map[string]string{"error": code, "error_description": description, "log_id": "sandbox"})
}

// respond returns a response of the personal product.
func respond(data any) stage.Response {
	return stage.OK(stage.Object{"data": data, "error": wordOf("ok", "")})
}

// refuse returns the personal product's error shape.
func refuse(status int, code, message string) stage.Response {
	return stage.Refuse(status, stage.Object{"data": stage.Object{}, "error": wordOf(code, message)})
}

func wordOf(code, message string) map[string]string {
	return map[string]string{"code": code, "message": message, "log_id": "sandbox"}
}

func invalid(message string) stage.Response {
	return refuse(http.StatusBadRequest, "invalid_params", message)
}

// Codes of the business product. All responses except the one for an unknown path have HTTP status 200.
const (
	codeNoPermission = 40001
	codeParameter    = 40002
)

// business declares the business product.
func business(s *stage.Stage) *stage.Service {
	missing := businessError(codeParameter, "The sandbox does not have this call.")
	missing.Status = http.StatusNotFound
	return &stage.Service{
		Stage: s, Network: channel.NetworkTikTok, Prefix: "/tiktok-business", Roles: []string{roleBusiness},
		Window: time.Minute, Missing: missing, Broken: businessError(50000, "Internal service error."),
		Token: func(r stage.Request) string { return r.Header.Get("Access-Token") },
		Words: stage.Words{
			Rejected:     businessError(codeParameter, "The request is not valid."),
			Limited:      businessError(40100, "Too many requests. Please retry in some time."),
			Unavailable:  businessError(50000, "Internal service error."),
			Unauthorized: businessError(40105, "Access token is incorrect or has been revoked."),
			Scope: businessError(codeNoPermission,
				"No permission: the access token does not have the scope of this endpoint."),
		},
	}
}

func (a *api) handleBusiness(mux *http.ServeMux) {
	const status, commit, calls, at = stage.StepStatus, stage.StepCommit, 40, " /open_api/v1.3/business/"
	a.business.Handle(mux, []stage.Route{
		{Pattern: "GET" + at + "video/settings/{$}", Step: status, Scopes: scopePublish, Serve: a.settings, Calls: calls},
		{Pattern: "GET" + at + "get/{$}", Step: status, Scopes: scopeInfo, Serve: a.profile, Calls: calls},
		{Pattern: "GET" + at + "video/list/{$}", Step: status, Scopes: scopeVideos, Serve: a.videoList, Calls: calls},
		{Pattern: "POST" + at + "video/publish/{$}", Step: commit, Scopes: scopePublish, Serve: a.publishVideo, Calls: calls},
		{Pattern: "POST" + at + "photo/publish/{$}", Step: commit, Scopes: scopePublish, Serve: a.publishPhotos, Calls: calls},
		{Pattern: "GET" + at + "publish/status/{$}", Step: status, Scopes: scopePublish, Serve: a.publishStatus, Calls: calls},
	})
	const oauth = "POST /tiktok-business/open_api/v1.3/tt_user/oauth2/"
	words := a.business.Words
	words.Rejected = businessError(40103, "Refresh token is incorrect or has expired.")
	words.Unauthorized = words.Rejected
	a.Stage.AuthorizationServer(mux, stage.Authorization{
		Dialog: dialog("/tiktok-business", roleBusiness), Words: words, Form: businessForm,
		Client: stage.FormClient("client_id"),
		Tokens: map[string]string{oauth + "refresh_token/{$}": stage.GrantRefresh, oauth + "token/{$}": stage.GrantCode},
		Body:   func(t stage.Tokens) any { return envelope(0, "OK", tokenForm("refresh_token_expires_in")(t)) },
		Refusals: map[error]stage.Response{
			stage.ErrGrantType:   businessError(codeParameter, "The body is not that of this call."),
			stage.ErrCredentials: businessError(40101, "App id or secret is incorrect."),
			stage.ErrCode:        businessError(codeParameter, "Auth_code is invalid or expired."),
		},
	})
}

// businessForm reads the parameters of a call for tokens, which are in JSON.
func businessForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	body, ok := stage.ReadBody(w, r)
	parameters := make(map[string]string)
	if !ok || !(stage.Request{Request: r}).IsJSON() || json.Unmarshal(body, &parameters) != nil {
		return nil, stage.ErrJSON
	}
	form := make(url.Values, len(parameters))
	for name, value := range parameters {
		form.Set(strings.TrimPrefix(name, "auth_"), value)
	}
	return form, nil
}

// envelope returns the shape of every response of the business product.
func envelope(code int, message string, data any) stage.Object {
	return stage.Object{"code": code, "message": message, "request_id": "sandbox", "data": data}
}

func businessOK(data any) stage.Response { return stage.OK(envelope(0, "OK", data)) }

func businessError(code int, message string) stage.Response {
	return stage.Refuse(http.StatusOK, envelope(code, message, stage.Object{}))
}

// allowed holds an account's posting settings, in the format of both products.
type allowed struct {
	Privacies       []string `json:"privacy_level_options"`
	CommentDisabled bool     `json:"comment_disabled"`
	DuetDisabled    bool     `json:"duet_disabled"`
	StitchDisabled  bool     `json:"stitch_disabled"`
	MaxDurationSec  int      `json:"max_video_post_duration_sec"`
}

func allowedTo(account string) allowed {
	a := allowed{
		Privacies:       []string{publicToEveryone, "MUTUAL_FOLLOW_FRIENDS", selfOnly},
		CommentDisabled: strings.Contains(account, "nocomment"), MaxDurationSec: 600,
	}
	if strings.Contains(account, "private") {
		// TikTok does not allow duets or stitches of videos that only followers see.
		a.Privacies = []string{"FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", selfOnly}
		a.DuetDisabled, a.StitchDisabled = true, true
	}
	return a
}

func banned(account string) bool { return strings.Contains(account, "banned") }

// username returns the account without a leading @.
func username(account string) string { return strings.TrimPrefix(account, "@") }

// avatar returns the address of an image that the sandbox serves.
func (a *api) avatar(r stage.Request) string { return a.Stage.Avatar(r.Request, r.Account) }

// public returns the newest public posts of an account.
func (a *api) public(account string, most int) []ledger.Post {
	posts := a.Stage.Ledger.List(ledger.Filter{Platform: network, Account: account})
	posts = slices.DeleteFunc(posts, func(p ledger.Post) bool { return p.Visibility != publicToEveryone })
	return posts[:min(len(posts), most)]
}
