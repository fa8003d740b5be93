// Package facebookapi is the sandbox's Facebook API: posts, photos, reels, videos and stories of a Page.
package facebookapi

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

const network = string(channel.NetworkFacebook)

// API serves Facebook's calls.
type API struct {
	stage   *stage.Stage
	objects *objects
}

// register adds the calls under /facebook.
func register(mux *http.ServeMux, s *stage.Stage, o *objects) {
	a := &API{stage: s, objects: o}
	a.registerMedia(mux)
	metaapi.Login{
		Stage: s, Network: channel.NetworkFacebook, Prefix: "/facebook", Scopes: loginScopes(), PageScope: pageScope,
		Error: graphError, Dialect: dialect{},
	}.Mount(mux)
	mux.HandleFunc("POST /facebook/{version}/{page}/feed", a.as(fault.StepCommit, publishing(), a.create))
	mux.HandleFunc("GET /facebook/{version}/{page}/feed", a.as(fault.StepStatus, reading(), a.list))
	mux.HandleFunc("GET /facebook/{version}/{page}/published_posts", a.as(fault.StepStatus, reading(), a.list))
	mux.HandleFunc("GET /facebook/{version}/{id}/insights", a.as(fault.StepStatus, measuring(), a.insights))
	mux.HandleFunc("GET /facebook/{version}/debug_token", a.debugToken)
	mux.HandleFunc("GET /facebook/debug_token", a.debugToken)
	read := a.as(fault.StepStatus, nil, a.read)
	mux.HandleFunc("GET /facebook/{version}/{id}", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.PathValue("id"), "upload:") {
			a.readSession(w, r)
			return
		}
		read(w, r)
	})
	mux.HandleFunc("DELETE /facebook/{version}/{id}", a.as(fault.StepOther, publishing(), a.remove))
	mux.HandleFunc("GET /facebook/{id}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, stage.Page(ledger.Post{Platform: network, ID: r.PathValue("id")}), http.StatusFound)
	})
	mux.HandleFunc("/facebook/", func(w http.ResponseWriter, _ *http.Request) { unknownPath(w) })
}

// registerMedia adds the calls for photos and videos.
func (a *API) registerMedia(mux *http.ServeMux) {
	const page = " /facebook/{version}/{page}/"
	mux.HandleFunc("POST"+page+"photos", a.reading(formWithFiles, fault.StepUpload, publishing(), a.photo))
	mux.HandleFunc("POST"+page+"photo_stories", a.as(fault.StepCommit, publishing(), a.publishStory))
	mux.HandleFunc("POST"+page+"videos", a.as(fault.StepCommit, publishing(), a.publishVideo))
	for edge, kind := range map[string]string{"video_reels": kindReel, "video_stories": kindStory} {
		start := a.as(fault.StepCreate, publishing(), a.inPhases(kind))
		finish := a.as(fault.StepCommit, publishing(), a.inPhases(kind))
		mux.HandleFunc("POST"+page+edge, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("upload_phase") == "start" {
				start(w, r)
				return
			}
			finish(w, r)
		})
	}
	mux.HandleFunc("GET"+page+"videos", a.as(fault.StepStatus, reading(), a.videos))
	mux.HandleFunc("GET"+page+"stories", a.as(fault.StepStatus, reading(), a.stories))
	mux.HandleFunc("POST"+page+"uploads", a.announce)
	mux.HandleFunc("POST /facebook/{version}/{id}", a.sendFile)
	mux.HandleFunc("POST /facebook/rupload/video-upload/{version}/{id}", a.transfer)
	mux.HandleFunc("GET /facebook/reel/{id}/{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, stage.Page(ledger.Post{Platform: network, ID: r.PathValue("id")}), http.StatusFound)
	})
}

// request is an authenticated call.
type request struct {
	*http.Request

	account string
	values  url.Values // from the query and the form
	form    stage.Form // with files
	held    stage.Held
}

var versionPattern = regexp.MustCompile(`^v[1-9][0-9]{0,2}\.[0-9]$`)

// body reads the parameters and the files of a call. If it cannot, it writes an error response and returns false.
type body func(a *API, w http.ResponseWriter, r *http.Request) (url.Values, stage.Form, bool)

// plainForm reads a call without files.
func plainForm(_ *API, w http.ResponseWriter, r *http.Request) (url.Values, stage.Form, bool) {
	read, ok := stage.ReadBody(w, r)
	return stage.Parameters(r, read), stage.Form{}, ok
}

// formWithFiles reads a call that may have files.
func formWithFiles(a *API, w http.ResponseWriter, r *http.Request) (url.Values, stage.Form, bool) {
	if !stage.IsMultipart(r) {
		return plainForm(a, w, r)
	}
	form, err := a.stage.ReadForm(r, photoLimit)
	if err != nil {
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) The body is not a whole form")
		return nil, stage.Form{}, false
	}
	values := r.URL.Query()
	for name, list := range form.Values {
		values[name] = list
	}
	return values, form, true
}

// as authenticates a call without files.
func (a *API) as(step fault.Step, scopes []string, next func(http.ResponseWriter, request)) http.HandlerFunc {
	return a.reading(plainForm, step, scopes, next)
}

// reading authenticates the call by its parameter or header, checks its permissions, and applies faults. A token is valid
// for its Page only.
func (a *API) reading(
	read body, step fault.Step, scopes []string, next func(http.ResponseWriter, request),
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !versionPattern.MatchString(r.PathValue("version")) {
			unknownPath(w)
			return
		}
		values, form, ok := read(a, w, r)
		if !ok {
			return
		}
		bearer := stage.AccessToken(r, values)
		if oauth, ok := strings.CutPrefix(r.Header.Get("Authorization"), "OAuth "); ok {
			bearer = oauth
		}
		if bearer == "" {
			graphError(w, http.StatusBadRequest, 104, 0, "An access token is required to request this resource.")
			return
		}
		grant, err := a.stage.Tokens.Access(network, bearer, scopes...)
		if err != nil {
			a.refused(w, grant, scopes, err)
			return
		}
		if grant.Role == metaapi.RoleUser { // a person's token reads no Page
			missing(w)
			return
		}
		call := stage.Call{Network: channel.NetworkFacebook, Account: grant.Account, Step: step, Grant: grant}
		held, ok := a.stage.Enter(w, r, call, dialect{})
		if !ok {
			return
		}
		if page := r.PathValue("page"); page != "" && page != "me" && page != grant.Account {
			missing(w)
			return
		}
		next(w, request{Request: r, account: grant.Account, values: values, form: form, held: held})
	}
}

// answer writes the response unless a fault withholds it.
func (r request) answer(w http.ResponseWriter, value any) {
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, value)
	}
}

// dialect writes Facebook's error responses.
type dialect struct{}

// Rejected writes Meta's response to an invalid parameter.
func (dialect) Rejected(w http.ResponseWriter) {
	graphError(w, http.StatusBadRequest, 100, 0, "Invalid parameter")
}

// RateLimited writes Meta's response to too many calls for a Page. Meta reports whole minutes. Retry-After adds the
// seconds, so that a test need not wait for a minute.
func (dialect) RateLimited(w http.ResponseWriter, seconds int) {
	minutes := int((time.Duration(seconds)*time.Second + time.Minute - 1) / time.Minute)
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	w.Header().Set("X-Business-Use-Case-Usage", fmt.Sprintf(
		`{"1":[{"type":"pages","call_count":100,"total_cputime":1,"total_time":1,"estimated_time_to_regain_access":%d}]}`,
		minutes))
	graphError(w, http.StatusBadRequest, 80001, 0,
		"There have been too many calls to this Page account. Wait a bit and try again.")
}

// Unavailable writes Meta's response when a service is down.
func (dialect) Unavailable(w http.ResponseWriter) {
	graphError(w, http.StatusServiceUnavailable, 2, 0, "Service temporarily unavailable")
}

// Unauthorized writes Meta's response to a token that a fault expired.
func (dialect) Unauthorized(w http.ResponseWriter) {
	graphError(w, http.StatusBadRequest, 190, 463, "Error validating access token: Session has expired")
}

// missing writes Meta's response for an object that does not exist or does not belong to the token's Page.
func missing(w http.ResponseWriter) {
	graphError(w, http.StatusBadRequest, 100, 33,
		"Unsupported request. Object does not exist, cannot be loaded due to missing permissions, or does not support "+
			"this operation")
}

func unknownPath(w http.ResponseWriter) {
	graphError(w, http.StatusBadRequest, 2500, 0, "Unknown path components: the sandbox does not have this call.")
}

// graphError writes Meta's error shape.
func graphError(w http.ResponseWriter, status, code, subcode int, message string) {
	body := map[string]any{
		"message": message, "type": "OAuthException", "code": code, "is_transient": code == 2, "fbtrace_id": "sandbox",
	}
	if subcode != 0 {
		body["error_subcode"] = subcode
	}
	stage.JSON(w, status, map[string]any{"error": body})
}

func metaTime(at time.Time) string { return at.Format("2006-01-02T15:04:05-0700") }
