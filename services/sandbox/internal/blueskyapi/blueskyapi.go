// Package blueskyapi is the sandbox's Bluesky: a personal data server with the calls that posts need, the view of posts
// and accounts, and the service that converts videos.
//
// The id of the account acme is did:plc:acme, its handle is acme.sandbox.test. Every handle of that form exists, except
// for those that begin with missing. Accounts whose names begin with unconfirmed or profileless may not upload videos.
package blueskyapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const (
	network    = string(channel.NetworkBluesky)
	collection = "app.bsky.feed.post"
	plc        = "did:plc:"
	domain     = ".sandbox.test"
	// serverHost is the host of every account's server, which calls through another server do not show.
	serverHost = "pds" + domain

	prefix       = "/bluesky/xrpc"
	createRecord = "POST " + prefix + "/com.atproto.repo.createRecord"
)

// Network declares Bluesky, with the lifetimes of tokens of the reference server. That accepts a used refresh token for
// two more hours; the sandbox does not. A repository has a limit of points for writes, of which a new record costs
// three.
func Network() stage.Network {
	const cost, hourly, daily = 3, 5000, 35_000
	return stage.Network{
		ID:     channel.NetworkBluesky,
		Tokens: []token.Policy{{Access: 2 * time.Hour, Refresh: 90 * 24 * time.Hour, Rotates: true}},
		Limits: []stage.Limit{
			{Pattern: createRecord, Calls: hourly / cost, Window: time.Hour},
			{Pattern: createRecord, Calls: daily / cost, Window: 24 * time.Hour},
		},
		Mount: stage.Stored("bluesky-files", mount),
	}
}

// api serves the calls.
type api struct {
	stage.Service

	videos stage.Service // that converts videos
	files  *mediastore.Uploads[file]
}

func mount(mux *http.ServeMux, s *stage.Stage, files *mediastore.Uploads[file]) {
	a := &api{files: files, Service: stage.Service{
		Stage: s, Network: channel.NetworkBluesky, Prefix: prefix, Words: words(s), Refused: refused,
		Missing: refuse(http.StatusNotImplemented, "MethodNotImplemented", "Method Not Implemented"),
		Broken:  refuse(http.StatusInternalServerError, "InternalServerError", "Internal Server Error"),
		Account: func(r stage.Request) string { return plc + r.Grant.Account },
	}}
	a.videos = stage.Service{
		Stage: s, Network: a.Network, Words: a.Words, Account: a.Account, Access: a.uploader, Refused: noUploader,
	}
	const status = stage.StepStatus
	a.Handle(mux, []stage.Route{
		{Pattern: "POST /com.atproto.repo.createRecord", Step: stage.StepCommit, Serve: a.create},
		{Pattern: "POST /com.atproto.repo.applyWrites", Step: stage.StepCommit, Serve: a.apply},
		{Pattern: "GET /com.atproto.repo.getRecord", Step: status, Serve: a.record},
		{Pattern: "POST /com.atproto.repo.uploadBlob", Step: stage.StepUpload, File: largestBlob, Serve: a.uploadBlob},
		{Pattern: "GET /com.atproto.identity.resolveHandle", Step: status, Serve: a.resolve},
		{Pattern: "GET /com.atproto.server.getSession", Step: status, Serve: a.session},
		{Pattern: "GET /com.atproto.server.getServiceAuth", Step: status, Serve: a.serviceAuth},
		{Pattern: "GET /app.bsky.actor.getProfile", Step: status, Serve: a.profile},
		{Pattern: "GET /app.bsky.feed.getPosts", Step: status, Serve: a.posts},
		{Pattern: "GET /app.bsky.notification.listNotifications", Step: status, Serve: a.notifications},
	})
	a.authorizations(mux)
	s.Forums[channel.NetworkBluesky] = forum{a}
	const service, uploading = "POST " + prefix + "/app.bsky.video.", stage.StepUpload
	a.videos.HandleAt(mux, stage.Route{
		Pattern: service + "uploadVideo", Step: uploading, File: largestWhole, Serve: a.uploadVideo,
	})
	a.videos.HandleAt(mux, stage.Route{Pattern: service + "startUpload", Step: uploading, Serve: a.start})
	a.videos.HandleAt(mux, stage.Route{
		Pattern: service + "uploadPart", Step: uploading, Body: 2 * partSize, Serve: a.part,
	})
	a.videos.HandleAt(mux, stage.Route{Pattern: service + "finishUpload", Step: uploading, Serve: a.finish})
	mux.HandleFunc("GET "+prefix+"/app.bsky.video.getJobStatus", a.job)
	s.ToPage(mux, channel.NetworkBluesky, "GET /bluesky/profile/{did}/post/{id}")
	mux.HandleFunc("/bluesky/", func(w http.ResponseWriter, _ *http.Request) { a.Missing.Write(w) })
}

// words returns the responses to faults. Those to too many calls have the time at which the limit resets.
func words(s *stage.Stage) stage.Words {
	return stage.Words{
		Rejected:     invalid("Invalid " + collection + " record"),
		Unavailable:  refuse(http.StatusServiceUnavailable, "NotEnoughResources", "Service Unavailable"),
		Unauthorized: refuse(http.StatusBadRequest, "ExpiredToken", "Token has expired"),
		Limited:      refuse(http.StatusTooManyRequests, "RateLimitExceeded", "Rate Limit Exceeded"),
		Wait: func(limited stage.Response, seconds int) stage.Response {
			reset := s.Clock.Now().Add(time.Duration(seconds)*time.Second + time.Second - time.Nanosecond)
			return limited.With("Ratelimit-Limit", "5000").With("Ratelimit-Remaining", "0").
				With("Ratelimit-Reset", strconv.FormatInt(reset.Unix(), 10)).With("Ratelimit-Policy", "5000;w=3600")
		},
	}
}

// refused returns the response to an access token that is not accepted.
func refused(r stage.Request, reason error) stage.Response {
	switch {
	case stage.Bearer(r.Request) == "":
		return refuse(http.StatusUnauthorized, "AuthMissing", "Authentication Required")
	case errors.Is(reason, token.ErrExpired):
		return refuse(http.StatusBadRequest, "ExpiredToken", "Token has expired")
	default:
		return refuse(http.StatusBadRequest, "InvalidToken", "Token could not be verified")
	}
}

func invalid(message string) stage.Response {
	return refuse(http.StatusBadRequest, "InvalidRequest", message)
}

// refuse is the error format of XRPC.
func refuse(status int, code, message string) stage.Response {
	return stage.Refuse(status, map[string]string{"error": code, "message": message})
}

// authorizations adds the calls about sessions.
func (a *api) authorizations(mux *http.ServeMux) {
	revoked := refuse(http.StatusBadRequest, "InvalidToken", "Token has been revoked")
	words := a.Words
	words.Rejected = revoked
	a.Stage.AuthorizationServer(mux, stage.Authorization{
		Dialog: stage.Dialog{Network: channel.NetworkBluesky}, Words: words,
		Body:   func(t stage.Tokens) any { return opened(t) },
		Tokens: map[string]string{"POST " + prefix + "/com.atproto.server.refreshSession": stage.GrantRefresh},
		Revoke: "POST " + prefix + "/com.atproto.server.deleteSession", Revoked: stage.Empty(http.StatusOK),
		Form: func(_ http.ResponseWriter, r *http.Request) (url.Values, error) {
			given := stage.Bearer(r)
			return url.Values{"grant_type": {stage.GrantRefresh}, "refresh_token": {given}, "token": {given}}, nil
		},
		Client: func(*http.Request, url.Values) (string, error) { return "", nil },
		Refused: func(_ token.Grant, reason error) stage.Response {
			if errors.Is(reason, token.ErrExpired) {
				return words.Unauthorized
			}
			return revoked
		},
		Refusals: map[error]stage.Response{
			stage.ErrRevoked: refuse(http.StatusBadRequest, "InvalidToken", "Token could not be verified"),
		},
	})
	mux.HandleFunc("POST "+prefix+"/com.atproto.server.createSession", a.login)
}

// appPassword is the form of an app password. The sandbox accepts every one.
var appPassword = regexp.MustCompile(`^[a-z0-9]{4}(-[a-z0-9]{4}){3}$`)

// login creates a session for a handle and an app password.
func (a *api) login(w http.ResponseWriter, r *http.Request) {
	body, ok := stage.ReadBody(w, r)
	if !ok {
		return
	}
	var given struct{ Identifier, Password string }
	err := json.Unmarshal(body, &given)
	name := strings.TrimSuffix(strings.TrimPrefix(given.Identifier, plc), domain)
	wrong := refuse(http.StatusUnauthorized, "AuthenticationRequired", "Invalid identifier or password")
	bad := stage.If(err != nil || name == "", invalid("Input must have the property identifier")).
		Or(!appPassword.MatchString(given.Password) || strings.Contains(name, "."), wrong)
	if bad.Broken {
		bad.Fault.Write(w)
		return
	}
	a.Stage.Perform(w, r, a.Words, func() stage.Response {
		issued, err := a.Stage.Tokens.Issue(network, token.Consent{Account: name})
		if err != nil {
			return wrong
		}
		return stage.OK(opened(a.Stage.TokensOf(network, issued)))
	}, stage.Call{Network: a.Network, Account: plc + name, Step: stage.StepToken})
}

// opened describes a session with its tokens.
func opened(t stage.Tokens) stage.Object {
	shown := describe(t.Account)
	shown["accessJwt"], shown["refreshJwt"] = t.Access, t.Refresh
	return shown
}

// describe returns the account of a session, with its DID document.
func describe(name string) stage.Object {
	return stage.Object{"did": plc + name, "handle": name + domain, "active": true, "didDoc": stage.Object{
		"id": plc + name, "alsoKnownAs": []string{"at://" + name + domain},
		"service": []map[string]string{{
			"id": "#atproto_pds", "type": "AtprotoPersonalDataServer", "serviceEndpoint": "https://" + serverHost,
		}},
	}}
}

func (a *api) session(r stage.Request) stage.Response {
	shown := describe(r.Grant.Account)
	shown["email"], shown["emailConfirmed"] = r.Grant.Account+"@example.com", true
	return stage.OK(shown)
}

// resolve returns the DID of a handle.
func (*api) resolve(r stage.Request) stage.Response {
	name, ours := strings.CutSuffix(r.Values.Get("handle"), domain)
	if !ours || name == "" || strings.HasPrefix(name, "missing") || name != strings.ToLower(name) {
		return refuse(http.StatusBadRequest, "HandleNotFound", "Unable to resolve handle")
	}
	return stage.OK(map[string]string{"did": plc + name})
}

func (a *api) profile(r stage.Request) stage.Response {
	actor := r.Values.Get("actor")
	name, ok := strings.CutPrefix(actor, plc)
	if !ok || name == "" {
		return invalid("Profile not found")
	}
	return stage.OK(stage.Object{
		"did": actor, "handle": name + domain, "followsCount": 0, "avatar": a.Stage.Avatar(r.Request, name),
		"postsCount":     len(a.Stage.Ledger.List(ledger.Filter{Platform: network, Account: actor})),
		"followersCount": figures.Of(network, actor).Followers(a.Stage.Clock.Now()),
	})
}

// posts returns posts by their URIs. It omits those that do not exist.
func (a *api) posts(r stage.Request) stage.Response {
	const most = 25
	uris := r.Values["uris"]
	if len(uris) == 0 || len(uris) > most {
		return invalid("Error: uris must not have more than 25 elements")
	}
	shown := make([]stage.Object, 0, len(uris))
	for _, uri := range uris {
		post, ok := a.find(uri)
		if m, written := a.comment(r, uri); written {
			shown = append(shown, stage.Object{"uri": uri, "cid": commentCID(m), "record": a.written(m), "indexedAt": stamp(m.At)})
		}
		if !ok {
			continue
		}
		so := figures.OfPost(post, a.Stage.Clock.Now())
		quotes := so.Shares / 3
		shown = append(shown, stage.Object{
			"uri": uri, "cid": recordCID(post), "record": value(post), "indexedAt": stamp(post.CreatedAt),
			"likeCount": so.Likes, "replyCount": so.Comments, "repostCount": so.Shares - quotes, "quoteCount": quotes,
			"bookmarkCount": so.Saves,
		})
	}
	return stage.OK(stage.Object{"posts": shown})
}

// find returns the post with the URI.
func (a *api) find(uri string) (ledger.Post, bool) {
	post, ok := a.Stage.Ledger.Get(network, uri[strings.LastIndexByte(uri, '/')+1:])
	return post, ok && uriOf(post.Account, post.ID) == uri
}

func uriOf(did, key string) string { return "at://" + did + "/" + collection + "/" + key }

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// record returns a post by its key.
func (a *api) record(r stage.Request) stage.Response {
	uri := "at://" + r.Values.Get("repo") + "/" + r.Values.Get("collection") + "/" + r.Values.Get("rkey")
	post, ok := a.find(uri)
	if !ok {
		return refuse(http.StatusBadRequest, "RecordNotFound", "Could not locate record: "+uri)
	}
	return stage.OK(stage.Object{"uri": uri, "cid": recordCID(post), "value": value(post)})
}

// value returns the record of a post, as far as the ledger has it.
func value(post ledger.Post) stage.Object {
	shown := stage.Object{"$type": collection, "text": post.Text, "createdAt": stamp(post.CreatedAt)}
	if d := post.Details; d[parentURI] != "" {
		shown["reply"] = stage.Object{
			"root": stage.Object{"uri": d[rootURI], "cid": d[rootCID]}, "parent": stage.Object{"uri": d[parentURI], "cid": d[parentCID]},
		}
	}
	return shown
}
