package tiktokapi

import (
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

// Codes of the business product. All responses except the one for an unknown path have HTTP status 200.
const (
	codeOK           = 0
	codeNoPermission = 40001
	codeParameter    = 40002
	codeTooMany      = 40100
	codeApp          = 40101
	codeRefreshToken = 40103
	codeToken        = 40105
	codeInternal     = 50000
)

// Calls of the business product about an account.
const (
	businessPath         = "/tiktok-business/open_api/v1.3/business/"
	businessSettings     = "GET " + businessPath + "video/settings/{$}"
	businessProfile      = "GET " + businessPath + "get/{$}"
	businessVideos       = "GET " + businessPath + "video/list/{$}"
	businessVideoPublish = "POST " + businessPath + "video/publish/{$}"
	businessPhotoPublish = "POST " + businessPath + "photo/publish/{$}"
	businessStatus       = "GET " + businessPath + "publish/status/{$}"
)

func (a *API) registerBusiness(mux *http.ServeMux) {
	mux.HandleFunc(businessSettings, a.as(business{}, scopePublish, a.settings))
	mux.HandleFunc(businessProfile, a.as(business{}, scopeInfo, a.profile))
	mux.HandleFunc(businessVideos, a.as(business{}, scopeVideos, a.videoList))
	mux.HandleFunc("POST /tiktok-business/open_api/v1.3/tt_user/oauth2/refresh_token/{$}", a.refreshBusiness)
	mux.HandleFunc("POST /tiktok-business/open_api/v1.3/tt_user/oauth2/token/{$}", a.exchangeBusiness)
	a.stage.Authorize(mux, dialog("/tiktok-business", 1))
	mux.HandleFunc("/tiktok-business/", func(w http.ResponseWriter, _ *http.Request) {
		businessAnswer(w, http.StatusNotFound, codeParameter, "The sandbox does not have this call.", nil)
	})
}

// settings returns the account's posting settings.
func (a *API) settings(w http.ResponseWriter, r request) {
	if a.ofTheAccount(w, r) && !r.held.Lost(w, r.Request) {
		businessAnswer(w, http.StatusOK, codeOK, "OK", allowedTo(r.account))
	}
}

// profile returns the requested fields of the account.
func (a *API) profile(w http.ResponseWriter, r request) {
	if !a.ofTheAccount(w, r) {
		return
	}
	known := map[string]any{
		"display_name": username(r.account), "username": username(r.account), "profile_image": a.avatar(r),
		"is_business_account": true, "followers_count": figures.Of(network, r.account).Followers(a.stage.Clock.Now()),
	}
	fields := []string{"display_name", "profile_image"}
	if text := r.URL.Query().Get("fields"); text != "" {
		if json.Unmarshal([]byte(text), &fields) != nil {
			businessError(w, codeParameter, "fields: must be a list of strings.")
			return
		}
	}
	values := make(map[string]any, len(fields))
	if slices.ContainsFunc(fields, daily) {
		metrics, ok := a.daily(w, r, fields)
		if !ok {
			return
		}
		values["metrics"] = metrics
	}
	for _, field := range slices.DeleteFunc(fields, daily) {
		value, ok := known[field]
		if !ok {
			businessError(w, codeParameter, "fields: unknown field.")
			return
		}
		values[field] = value
	}
	if !r.held.Lost(w, r.Request) {
		businessAnswer(w, http.StatusOK, codeOK, "OK", values)
	}
}

// daily reports whether a field is reported per day.
func daily(field string) bool {
	_, ok := dailyFields(figures.Day{})[field]
	return ok
}

// ofTheAccount checks that the call is about the token's own account. If not, it writes an error response and returns
// false.
func (a *API) ofTheAccount(w http.ResponseWriter, r request) bool {
	switch id := r.URL.Query().Get("business_id"); {
	case id == "":
		businessError(w, codeParameter, "business_id: Missing data for required field.")
		return false
	case id != r.account:
		businessError(w, codeNoPermission, "No permission to operate this account.")
		return false
	default:
		return true
	}
}

// business reads tokens and writes error responses as the business product does.
type business struct{}

func (business) token(r *http.Request) string { return r.Header.Get("Access-Token") }

func (business) role() string { return roleBusiness }

func (business) unauthorizedScope(w http.ResponseWriter) {
	businessError(w, codeNoPermission, "No permission: the access token does not have the scope of this endpoint.")
}

// Rejected writes TikTok's response to an invalid request.
func (business) Rejected(w http.ResponseWriter) {
	businessError(w, codeParameter, "The request is not valid.")
}

// RateLimited writes TikTok's response to too many calls.
func (business) RateLimited(w http.ResponseWriter, seconds int) {
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	businessError(w, codeTooMany, "Too many requests. Please retry in some time.")
}

// Unavailable writes TikTok's response when a service is down.
func (business) Unavailable(w http.ResponseWriter) {
	businessError(w, codeInternal, "Internal service error.")
}

// Unauthorized writes TikTok's response to an invalid token.
func (business) Unauthorized(w http.ResponseWriter) {
	businessError(w, codeToken, "Access token is incorrect or has been revoked.")
}

func businessError(w http.ResponseWriter, code int, message string) {
	businessAnswer(w, http.StatusOK, code, message, nil)
}

// businessAnswer writes the shape of every response of the business product.
func businessAnswer(w http.ResponseWriter, status, code int, message string, data any) {
	if data == nil {
		data = map[string]any{}
	}
	stage.JSON(w, status, map[string]any{"code": code, "message": message, "request_id": "sandbox", "data": data})
}

// refreshBusiness exchanges a refresh token, once.
func (a *API) refreshBusiness(w http.ResponseWriter, r *http.Request) {
	body, ok := stage.ReadBody(w, r)
	if !ok {
		return
	}
	var asked struct {
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
		GrantType    string `json:"grant_type"`
		RefreshToken string `json:"refresh_token"`
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "application/json" || json.Unmarshal(body, &asked) != nil || asked.GrantType != "refresh_token" {
		businessError(w, codeParameter, "The body is not that of a refresh.")
		return
	}
	if asked.ClientID == "" || asked.ClientSecret == "" {
		businessError(w, codeApp, "App id or secret is incorrect.")
		return
	}
	refresh := stage.Refresh{
		Network: channel.NetworkTikTok, Token: asked.RefreshToken, App: asked.ClientID, Roles: []string{roleBusiness},
		Dialect: businessToken{},
	}
	a.stage.Refresh(w, r, refresh, func(t stage.Tokens) {
		businessAnswer(w, http.StatusOK, codeOK, "OK", map[string]any{
			"token_type": "Bearer", "scope": strings.Join(t.Scopes, ","), "open_id": t.Account,
			"access_token": t.Access, "expires_in": t.ExpiresIn,
			"refresh_token": t.Refresh, "refresh_token_expires_in": t.RefreshIn,
		})
	})
}

// businessToken writes the error responses of the business product's token call.
type businessToken struct{ business }

// Rejected reports that the refresh token is no longer valid.
func (businessToken) Rejected(w http.ResponseWriter) {
	businessError(w, codeRefreshToken, "Refresh token is incorrect or has expired.")
}

// Unauthorized writes the same response as Rejected.
func (t businessToken) Unauthorized(w http.ResponseWriter) { t.Rejected(w) }
