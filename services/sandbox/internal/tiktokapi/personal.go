package tiktokapi

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

func (a *API) registerPersonal(mux *http.ServeMux) {
	mux.HandleFunc("POST /tiktok/v2/post/publish/creator_info/query/{$}", a.as(personal{}, scopePublish, a.creatorInfo))
	mux.HandleFunc("GET /tiktok/v2/user/info/{$}", a.as(personal{}, scopeInfo, a.userInfo))
	mux.HandleFunc("POST /tiktok/v2/video/query/{$}", a.as(personal{}, scopeVideos, a.queryVideos))
	mux.HandleFunc("POST /tiktok/v2/oauth/token/{$}", a.refreshPersonal)
	mux.HandleFunc("POST /tiktok/v2/oauth/revoke/{$}", a.revokePersonal)
	a.stage.Authorize(mux, dialog("/tiktok", 0))
	mux.HandleFunc("/tiktok/", func(w http.ResponseWriter, _ *http.Request) {
		personalError(w, http.StatusNotFound, "unsupported_path", "The sandbox does not have this call.")
	})
}

// creatorInfo returns the account's posting settings. The error for a banned account has HTTP status 200.
func (a *API) creatorInfo(w http.ResponseWriter, r request) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		personalError(w, http.StatusBadRequest, "invalid_params", "The content type must be application/json.")
		return
	}
	if r.held.Lost(w, r.Request) {
		return
	}
	if banned(r.account) {
		personalError(w, http.StatusOK, "spam_risk_user_banned_from_posting", "The user is banned from making new posts.")
		return
	}
	stage.JSON(w, http.StatusOK, map[string]any{
		"data": struct {
			allowed

			AvatarURL string `json:"creator_avatar_url"`
			Username  string `json:"creator_username"`
			Nickname  string `json:"creator_nickname"`
		}{allowedTo(r.account), a.avatar(r), username(r.account), username(r.account)},
		"error": personalWord("ok", ""),
	})
}

// personal reads tokens and writes error responses as the personal product does.
type personal struct{}

func (personal) token(r *http.Request) string { return stage.Bearer(r) }

func (personal) role() string { return "" }

func (personal) unauthorizedScope(w http.ResponseWriter) {
	personalError(w, http.StatusUnauthorized, "scope_not_authorized",
		"The user did not authorize the scope required for completing this request.")
}

// Rejected writes TikTok's response to an invalid request.
func (personal) Rejected(w http.ResponseWriter) {
	personalError(w, http.StatusBadRequest, "invalid_params", "One or more fields in the request are invalid.")
}

// RateLimited writes TikTok's response to too many calls.
func (personal) RateLimited(w http.ResponseWriter, seconds int) {
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	personalError(w, http.StatusTooManyRequests, "rate_limit_exceeded",
		"The API rate limit was exceeded. Please try again later.")
}

// Unavailable writes TikTok's response when a service is down.
func (personal) Unavailable(w http.ResponseWriter) {
	personalError(w, http.StatusInternalServerError, "internal_error", "Something is wrong. Please try again later.")
}

// Unauthorized writes TikTok's response to an invalid token.
func (personal) Unauthorized(w http.ResponseWriter) {
	personalError(w, http.StatusUnauthorized, "access_token_invalid",
		"The access token is invalid or not found in the request.")
}

// personalError writes the personal product's error shape.
func personalError(w http.ResponseWriter, status int, code, message string) {
	stage.JSON(w, status, map[string]any{"data": map[string]any{}, "error": personalWord(code, message)})
}

func personalWord(code, message string) map[string]string {
	return map[string]string{"code": code, "message": message, "log_id": "sandbox"}
}

// refreshPersonal exchanges a refresh token, once.
func (a *API) refreshPersonal(w http.ResponseWriter, r *http.Request) {
	form, err := stage.ReadTokenForm(w, r)
	switch {
	case err != nil:
		oauthError(w, http.StatusBadRequest, "invalid_request", "The form cannot be read.")
		return
	case form.Get("client_key") == "" || form.Get("client_secret") == "":
		oauthError(w, http.StatusUnauthorized, "invalid_client", "Client key or secret is incorrect.")
		return
	case form.Get("grant_type") == "authorization_code":
		a.exchangePersonal(w, r, form)
		return
	case form.Get("grant_type") != "refresh_token":
		oauthError(w, http.StatusBadRequest, "unsupported_grant_type", "The grant type is not supported.")
		return
	}
	asked := stage.Refresh{
		Network: channel.NetworkTikTok, Token: form.Get("refresh_token"), App: form.Get("client_key"), Roles: []string{""},
		Dialect: personalToken{},
	}
	a.stage.Refresh(w, r, asked, func(t stage.Tokens) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"token_type": "Bearer", "scope": strings.Join(t.Scopes, ","), "open_id": t.Account,
			"access_token": t.Access, "expires_in": t.ExpiresIn,
			"refresh_token": t.Refresh, "refresh_expires_in": t.RefreshIn,
		})
	})
}

// personalToken writes the error responses of the personal product's token call, in OAuth's flat format.
type personalToken struct{ personal }

// Rejected reports that the refresh token is no longer valid.
func (personalToken) Rejected(w http.ResponseWriter) {
	oauthError(w, http.StatusBadRequest, "invalid_grant", "Refresh token is invalid or expired.")
}

// Unauthorized writes the same response as Rejected.
func (t personalToken) Unauthorized(w http.ResponseWriter) { t.Rejected(w) }

// RateLimited writes TikTok's response to too many calls.
func (personalToken) RateLimited(w http.ResponseWriter, seconds int) {
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	oauthError(w, http.StatusTooManyRequests, "rate_limit_exceeded",
		"The API rate limit was exceeded. Please try again later.")
}

// Unavailable writes TikTok's response when a service is down.
func (personalToken) Unavailable(w http.ResponseWriter) {
	oauthError(w, http.StatusInternalServerError, "server_error", "Something is wrong. Please try again later.")
}

func oauthError(w http.ResponseWriter, status int, code, description string) {
	stage.JSON(w, status, map[string]string{"error": code, "error_description": description, "log_id": "sandbox"})
}
