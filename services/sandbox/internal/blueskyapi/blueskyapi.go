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
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
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

	createRecord = "POST /bluesky/xrpc/com.atproto.repo.createRecord"
)

// API serves the calls.
type API struct {
	files

	stage *stage.Stage
}

// register adds the calls under /bluesky.
func register(mux *http.ServeMux, s *stage.Stage, stored files) {
	a := &API{stage: s, files: stored}
	mux.HandleFunc(createRecord, a.as(fault.StepCommit, a.create))
	mux.HandleFunc("GET /bluesky/xrpc/com.atproto.repo.getRecord", a.as(fault.StepStatus, a.record))
	mux.HandleFunc("POST /bluesky/xrpc/com.atproto.repo.uploadBlob", a.upload)
	mux.HandleFunc("GET /bluesky/xrpc/com.atproto.identity.resolveHandle", a.as(fault.StepStatus, a.resolve))
	mux.HandleFunc("GET /bluesky/xrpc/com.atproto.server.getSession", a.as(fault.StepStatus, a.session))
	mux.HandleFunc("GET /bluesky/xrpc/com.atproto.server.getServiceAuth", a.as(fault.StepStatus, a.serviceAuth))
	mux.HandleFunc("POST /bluesky/xrpc/com.atproto.server.refreshSession", a.refresh)
	mux.HandleFunc("POST /bluesky/xrpc/com.atproto.server.createSession", a.login)
	mux.HandleFunc("POST /bluesky/xrpc/com.atproto.server.deleteSession", a.logout)
	mux.HandleFunc("GET /bluesky/xrpc/app.bsky.actor.getProfile", a.as(fault.StepStatus, a.profile))
	mux.HandleFunc("GET /bluesky/xrpc/app.bsky.feed.getPosts", a.as(fault.StepStatus, a.posts))
	mux.HandleFunc("POST /bluesky/xrpc/app.bsky.video.uploadVideo", a.uploadVideo)
	mux.HandleFunc("POST /bluesky/xrpc/app.bsky.video.startUpload", a.start)
	mux.HandleFunc("POST /bluesky/xrpc/app.bsky.video.uploadPart", a.part)
	mux.HandleFunc("POST /bluesky/xrpc/app.bsky.video.finishUpload", a.finish)
	mux.HandleFunc("GET /bluesky/xrpc/app.bsky.video.getJobStatus", a.job)
	mux.HandleFunc("GET /bluesky/profile/{did}/post/{key}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, stage.Page(ledger.Post{Platform: network, ID: r.PathValue("key")}), http.StatusFound)
	})
	mux.HandleFunc("/bluesky/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotImplemented, "MethodNotImplemented", "Method Not Implemented")
	})
}

// request is an authenticated call.
type request struct {
	*http.Request

	name string // of the account, without did:plc:
	body []byte
	held stage.Held
}

func (r request) did() string { return plc + r.name }

// as authenticates the call and applies faults.
func (a *API) as(step fault.Step, next func(http.ResponseWriter, request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := stage.ReadBody(w, r)
		if !ok {
			return
		}
		grant, ok := a.access(w, r)
		if !ok {
			return
		}
		if held, ok := a.enter(w, r, step, grant); ok {
			next(w, request{Request: r, name: grant.Account, body: body, held: held})
		}
	}
}

func (a *API) enter(w http.ResponseWriter, r *http.Request, step fault.Step, grant token.Grant) (stage.Held, bool) {
	call := stage.Call{Network: channel.NetworkBluesky, Account: plc + grant.Account, Step: step, Grant: grant}
	return a.stage.Enter(w, r, call, dialect{a})
}

// access returns the grant of the access token. If there is none, it writes the error response.
func (a *API) access(w http.ResponseWriter, r *http.Request) (token.Grant, bool) {
	given := stage.Bearer(r)
	grant, err := a.stage.Tokens.Access(network, given)
	switch {
	case err == nil:
		return grant, true
	case given == "":
		refuse(w, http.StatusUnauthorized, "AuthMissing", "Authentication Required")
	case errors.Is(err, token.ErrExpired):
		dialect{a}.Unauthorized(w)
	default:
		refuse(w, http.StatusBadRequest, "InvalidToken", "Token could not be verified")
	}
	return token.Grant{}, false
}

// answer writes the result unless a fault withholds it.
func (r request) answer(w http.ResponseWriter, result any) {
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, result)
	}
}

// resolve returns the DID of a handle.
func (a *API) resolve(w http.ResponseWriter, r request) {
	name, ours := strings.CutSuffix(r.URL.Query().Get("handle"), domain)
	if !ours || name == "" || strings.HasPrefix(name, "missing") || name != strings.ToLower(name) {
		refuse(w, http.StatusBadRequest, "HandleNotFound", "Unable to resolve handle")
		return
	}
	r.answer(w, map[string]string{"did": plc + name})
}

func (a *API) session(w http.ResponseWriter, r request) {
	r.answer(w, map[string]any{
		"did": r.did(), "handle": r.name + domain, "email": r.name + "@example.com", "emailConfirmed": true,
		"active": true, "didDoc": document(r.name),
	})
}

// document returns the DID document of an account.
func document(name string) map[string]any {
	return map[string]any{
		"id": plc + name, "alsoKnownAs": []string{"at://" + name + domain},
		"service": []map[string]string{{
			"id": "#atproto_pds", "type": "AtprotoPersonalDataServer", "serviceEndpoint": "https://" + serverHost,
		}},
	}
}

// refresh exchanges a refresh token.
func (a *API) refresh(w http.ResponseWriter, r *http.Request) {
	if _, ok := stage.ReadBody(w, r); !ok {
		return
	}
	asked := stage.Refresh{
		Network: channel.NetworkBluesky, Token: stage.Bearer(r), Dialect: refreshDialect{dialect{a}},
		Refused: func(w http.ResponseWriter, _ token.Grant, reason error) {
			if errors.Is(reason, token.ErrExpired) {
				refuse(w, http.StatusBadRequest, "ExpiredToken", "Token has expired")
				return
			}
			refuse(w, http.StatusBadRequest, "InvalidToken", "Token has been revoked")
		},
	}
	a.stage.Refresh(w, r, asked, func(t stage.Tokens) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"did": plc + t.Account, "handle": t.Account + domain, "accessJwt": t.Access, "refreshJwt": t.Refresh,
			"active": true, "didDoc": document(t.Account),
		})
	})
}

func (a *API) profile(w http.ResponseWriter, r request) {
	actor := r.URL.Query().Get("actor")
	name, ok := strings.CutPrefix(actor, plc)
	if !ok || name == "" {
		invalid(w, "Profile not found")
		return
	}
	posts := len(a.stage.Ledger.List(ledger.Filter{Platform: network, Account: actor}))
	r.answer(w, map[string]any{
		"did": actor, "handle": name + domain, "followsCount": 0, "postsCount": posts,
		"followersCount": figures.Of(network, actor).Followers(a.stage.Clock.Now()),
	})
}

// posts returns posts by their URIs. It omits those that do not exist.
func (a *API) posts(w http.ResponseWriter, r request) {
	const most = 25
	uris := r.URL.Query()["uris"]
	if len(uris) == 0 || len(uris) > most {
		invalid(w, "Error: uris must not have more than 25 elements")
		return
	}
	shown := make([]map[string]any, 0, len(uris))
	for _, uri := range uris {
		post, ok := a.find(uri)
		if !ok {
			continue
		}
		so := figures.OfPost(post, a.stage.Clock.Now())
		quotes := so.Shares / 3
		shown = append(shown, map[string]any{
			"uri": uri, "cid": recordCID(post), "record": value(post), "indexedAt": stamp(post.CreatedAt),
			"likeCount": so.Likes, "replyCount": so.Comments, "repostCount": so.Shares - quotes, "quoteCount": quotes,
			"bookmarkCount": so.Saves,
		})
	}
	r.answer(w, map[string]any{"posts": shown})
}

// find returns the post with the URI.
func (a *API) find(uri string) (ledger.Post, bool) {
	post, ok := a.stage.Ledger.Get(network, uri[strings.LastIndexByte(uri, '/')+1:])
	return post, ok && uriOf(post.Account, post.ID) == uri
}

func uriOf(did, key string) string { return "at://" + did + "/" + collection + "/" + key }

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// dialect writes error responses in the format of XRPC.
type dialect struct{ api *API }

// Rejected writes the response to a call that the server does not accept.
func (dialect) Rejected(w http.ResponseWriter) { invalid(w, "Invalid "+collection+" record") }

// RateLimited writes the response to too many calls, with the time at which the limit resets.
func (d dialect) RateLimited(w http.ResponseWriter, seconds int) {
	reset := d.api.stage.Clock.Now().Add(time.Duration(seconds) * time.Second)
	header := w.Header()
	header.Set("Ratelimit-Limit", "5000")
	header.Set("Ratelimit-Remaining", "0")
	header.Set("Ratelimit-Reset", strconv.FormatInt(reset.Add(time.Second-time.Nanosecond).Unix(), 10))
	header.Set("Ratelimit-Policy", "5000;w=3600")
	refuse(w, http.StatusTooManyRequests, "RateLimitExceeded", "Rate Limit Exceeded")
}

// Unavailable writes the response of a server that is overloaded.
func (dialect) Unavailable(w http.ResponseWriter) {
	refuse(w, http.StatusServiceUnavailable, "NotEnoughResources", "Service Unavailable")
}

// Unauthorized writes the response to an expired token.
func (dialect) Unauthorized(w http.ResponseWriter) {
	refuse(w, http.StatusBadRequest, "ExpiredToken", "Token has expired")
}

// refreshDialect writes the error responses of the token call.
type refreshDialect struct{ dialect }

// Rejected reports that the refresh token is revoked.
func (refreshDialect) Rejected(w http.ResponseWriter) {
	refuse(w, http.StatusBadRequest, "InvalidToken", "Token has been revoked")
}

func invalid(w http.ResponseWriter, message string) {
	refuse(w, http.StatusBadRequest, "InvalidRequest", message)
}

// broken reports that the sandbox's own disk failed.
func broken(w http.ResponseWriter) {
	refuse(w, http.StatusInternalServerError, "InternalServerError", "Internal Server Error")
}

// refuse writes the error format of XRPC.
func refuse(w http.ResponseWriter, status int, code, message string) {
	stage.JSON(w, status, map[string]string{"error": code, "message": message})
}

// decode decodes the body of a call. If it is not JSON, it writes the error response.
func (r request) decode(w http.ResponseWriter, into any) bool {
	if err := json.Unmarshal(r.body, into); err != nil {
		invalid(w, "Unexpected value in the request body")
		return false
	}
	return true
}
