// Package xapi is the sandbox's X API, version 2: posts with text, images and videos. An account whose name contains
// "premium", or whose number ends with 25000, has a subscription.
package xapi

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const (
	network = string(channel.NetworkX)

	readPosts    = "tweet.read users.read"
	writePosts   = "tweet.read tweet.write users.read"
	writeMedia   = "media.write"
	scopeOffline = "offline.access"
)

// Network declares X. An id has the milliseconds since an instant, then 22 bits.
func Network() stage.Network {
	const epoch, bits = 1288834974657, 22
	return stage.Network{
		ID:  channel.NetworkX,
		IDs: ledger.IDs{Floor: func(now time.Time) int64 { return (now.UnixMilli() - epoch) << bits }},
		Tokens: []token.Policy{{ // X does not publish the lifetime of the refresh token; it is about half a year.
			Access: 2 * time.Hour, Refresh: 182 * 24 * time.Hour, Rotates: true, Revokes: true, RenewalScope: scopeOffline,
			Scopes: []string{"tweet.read", "tweet.write", "users.read", writeMedia, scopeOffline},
		}},
		Limits: []stage.Limit{{Pattern: "POST /x/2/tweets", Calls: 10_000, Window: 24 * time.Hour, Shared: true}},
		Mount:  stage.Stored("x-uploads", mount),
	}
}

// api serves X's calls.
type api struct {
	*stage.Service

	uploads *mediastore.Uploads[file]
}

func mount(mux *http.ServeMux, s *stage.Stage, uploads *mediastore.Uploads[file]) {
	words := stage.Words{
		Rejected: problem(http.StatusForbidden, "", "Forbidden", "You are not permitted to perform this action."),
		Limited:  problem(http.StatusTooManyRequests, "rate-limit-exceeded", "Too Many Requests", "Too Many Requests"),
		Unavailable: problem(http.StatusServiceUnavailable, "service-unavailable", "Service Unavailable",
			"Service Unavailable"),
		Unauthorized: problem(http.StatusUnauthorized, "", "Unauthorized", "Unauthorized"),
		Scope:        problem(http.StatusForbidden, "", "Forbidden", "Forbidden"),
	}
	a := &api{uploads: uploads, Service: &stage.Service{
		Stage: s, Network: channel.NetworkX, Prefix: "/x", Words: words, Quota: quota, Window: 15 * time.Minute,
		Missing: problem(http.StatusNotFound, "resource-not-found", "Not Found Error",
			"The sandbox does not have this call."),
		Duplicate: forbidden("You are not allowed to create a Tweet with duplicate content."),
		Broken: problem(http.StatusInternalServerError, "", "Internal Server Error",
			"The sandbox's files cannot be written."),
	}}
	const status, uploading = stage.StepStatus, stage.StepUpload
	a.Handle(mux, []stage.Route{
		{Pattern: "POST /2/tweets", Step: stage.StepCommit, Scopes: writePosts, Serve: a.create, Calls: 100},
		{Pattern: "GET /2/tweets", Step: status, Scopes: readPosts, Serve: a.lookup, Calls: 900},
		{Pattern: "GET /2/tweets/{id}", Step: status, Scopes: readPosts, Serve: a.one, Calls: 900},
		{Pattern: "DELETE /2/tweets/{id}", Step: stage.StepOther, Scopes: writePosts, Serve: a.remove, Calls: 50},
		{Pattern: "GET /2/users/me", Step: status, Scopes: readPosts, Serve: a.me, Calls: 75},
		{Pattern: "GET /2/users/{id}/tweets", Step: status, Scopes: readPosts, Serve: a.list, Calls: 900},
		{Pattern: "POST /2/media/upload/initialize", Step: uploading, Scopes: writeMedia, Serve: a.initialize, Calls: 1875},
		{
			Pattern: "POST /2/media/upload/{id}/append", Step: uploading, Scopes: writeMedia, Serve: a.append, Calls: 1875,
			Body: segmentBody,
		},
		{Pattern: "POST /2/media/upload/{id}/finalize", Step: uploading, Scopes: writeMedia, Serve: a.finalize, Calls: 1875},
		{Pattern: "GET /2/media/upload", Step: status, Scopes: writeMedia, Serve: a.status, Calls: 1000},
		{Pattern: "POST /2/media/metadata", Step: uploading, Scopes: writeMedia, Serve: a.metadata},
	})
	s.ToPage(mux, channel.NetworkX, "GET /x/{username}/status/{id}")
	words.Wait = a.Wait()
	s.AuthorizationServer(mux, authorization(words))
}

// authorization declares X's authorization server. Its page needs a code challenge. Without offline.access, there is no
// refresh token.
func authorization(words stage.Words) stage.Authorization {
	words.Rejected = stage.OAuthError(http.StatusBadRequest, "invalid_grant", "The grant is no longer valid.")
	words.Unauthorized = words.Rejected
	invalid := func(what string) stage.Response {
		return stage.OAuthError(http.StatusBadRequest, "invalid_request", "Value passed for the "+what)
	}
	mismatch := invalid("code verifier, the redirect uri or the client did not match the code.")
	return stage.Authorization{
		Dialog: stage.Dialog{
			Network: channel.NetworkX, Path: "/x/i/oauth2/authorize", NeedsPKCE: true, Life: 30 * time.Second,
		},
		Tokens: map[string]string{"POST /x/2/oauth2/token": ""}, Words: words, Client: client, ClientFirst: true,
		Revoke: "POST /x/2/oauth2/revoke", RevokeNeedsClient: true, Revoked: stage.OK(map[string]bool{"revoked": true}),
		Body: func(t stage.Tokens) any {
			if !t.Has(scopeOffline) {
				t.Refresh = ""
			}
			return t.Form("bearer", " ")
		},
		Refusals: map[error]stage.Response{
			stage.ErrForm: stage.OAuthError(http.StatusBadRequest, "invalid_request", "The form cannot be read."),
			stage.ErrCredentials: stage.OAuthError(http.StatusUnauthorized, "unauthorized_client",
				"Missing valid authorization header"),
			stage.ErrGrantType: invalid("token was invalid."), token.ErrInvalid: invalid("token was invalid."),
			stage.ErrCode:   invalid("authorization code was invalid."),
			stage.ErrClient: mismatch, stage.ErrRedirect: mismatch, stage.ErrVerifier: mismatch,
		},
	}
}

// client returns the id of the application: of a confidential one from its Basic authentication, of a public one from the
// form.
func client(r *http.Request, form url.Values) (string, error) {
	if r.Header.Get("Authorization") != "" {
		return stage.BasicClient(r, form)
	}
	if form.Get("client_id") == "" {
		return "", stage.ErrCredentials
	}
	return form.Get("client_id"), nil
}

// quota returns the headers of a rate limit. X rounds the time of the reset to seconds; the sandbox rounds up, so that a
// client that waits until then is never too early.
func quota(limit, remaining int, reset time.Time) map[string]string {
	return map[string]string{
		"X-Rate-Limit-Limit": strconv.Itoa(limit), "X-Rate-Limit-Remaining": strconv.Itoa(remaining),
		"X-Rate-Limit-Reset": strconv.FormatInt(reset.Add(time.Second-time.Nanosecond).Unix(), 10),
	}
}

// problem returns X's error shape.
func problem(status int, name, title, detail string) stage.Response {
	kind := "about:blank"
	if name != "" {
		kind = "https://api.x.com/2/problems/" + name
	}
	return stage.Refuse(status, stage.Object{"title": title, "type": kind, "detail": detail, "status": status})
}

// invalid is X's response to an invalid request.
func invalid(detail string) stage.Response {
	return problem(http.StatusBadRequest, "invalid-request", "Invalid Request", detail)
}

func forbidden(detail string) stage.Response {
	return problem(http.StatusForbidden, "", "Forbidden", detail)
}

func data(value any) stage.Object { return stage.Object{"data": value} }
