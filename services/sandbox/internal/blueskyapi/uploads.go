package blueskyapi

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
)

// largestWhole is the limit of the video service for files in one call.
const largestWhole = 100_000_000

// largestBlob is the usual limit of a server for files that are uploaded directly.
const largestBlob = 50 << 20

// upload stores a file on the account's server.
func (a *API) upload(w http.ResponseWriter, r *http.Request) {
	grant, ok := a.access(w, r)
	if !ok {
		return
	}
	item, ok := a.store(w, r, largestBlob)
	if !ok {
		return
	}
	held, ok := a.enter(w, r, fault.StepUpload, grant)
	if !ok {
		return
	}
	file, err := a.blobs.add(plc+grant.Account, "", item)
	if err != nil {
		broken(w)
		return
	}
	if !held.Lost(w, r) {
		stage.JSON(w, http.StatusOK, map[string]any{"blob": file.reference()})
	}
}

// store stores the body. If it is not a file within the limit, it writes the error response.
func (a *API) store(w http.ResponseWriter, r *http.Request, limit int64) (mediastore.Item, bool) {
	item, err := a.stage.Media.Put(r.Context(), r.Body, limit)
	switch {
	case errors.Is(err, mediastore.ErrTooLarge):
		refuse(w, http.StatusRequestEntityTooLarge, "PayloadTooLarge", "request entity too large")
	case errors.Is(err, mediastore.ErrEmpty), errors.Is(err, mediastore.ErrUnsupported):
		invalid(w, "Request encoding (Content-Type) required but not provided")
	case err != nil:
		broken(w)
	case item.ContentType != r.Header.Get("Content-Type"):
		invalid(w, "The file is "+item.ContentType)
	default:
		return item, true
	}
	return mediastore.Item{}, false
}

// serviceToken is the prefix of tokens for other services: an end in Unix seconds and the account follow.
const serviceToken = "sandbox-service-"

// serviceAuth issues a token with which the video service stores files on the account's server.
func (a *API) serviceAuth(w http.ResponseWriter, r request) {
	query, now := r.URL.Query(), a.stage.Clock.Now()
	end, err := strconv.ParseInt(query.Get("exp"), 10, 64)
	switch {
	case query.Get("aud") != "did:web:"+serverHost:
		invalid(w, "The token would be for another server: "+query.Get("aud"))
		return
	case query.Get("lxm") != "com.atproto.repo.uploadBlob":
		invalid(w, "The sandbox issues tokens for uploadBlob alone")
		return
	case err != nil || end <= now.Unix() || end > now.Add(time.Hour).Unix():
		refuse(w, http.StatusBadRequest, "BadExpiration", "cannot request a token with an expiration more than an hour away")
		return
	}
	r.answer(w, map[string]string{"token": serviceToken + strconv.FormatInt(end, 10) + "-" + r.name})
}

// serviceAccount returns the account of a service token.
func (a *API) serviceAccount(given string) (string, bool) {
	text, ok := strings.CutPrefix(given, serviceToken)
	end, name, _ := strings.Cut(text, "-")
	number, err := strconv.ParseInt(end, 10, 64)
	return name, ok && err == nil && name != "" && a.stage.Clock.Now().Unix() < number
}

// uploader returns the account that may upload videos. If there is none, it writes the error response.
func (a *API) uploader(w http.ResponseWriter, r *http.Request) (string, bool) {
	name, ok := a.serviceAccount(stage.Bearer(r))
	switch {
	case !ok:
		refuse(w, http.StatusUnauthorized, "AuthenticationRequired", "invalid service token")
	case strings.HasPrefix(name, "unconfirmed"):
		refuse(w, http.StatusUnauthorized, "unconfirmed_email", "Please confirm your email address")
	case strings.HasPrefix(name, "profileless"):
		refuse(w, http.StatusUnauthorized, "profile_not_found", "No profile record found")
	default:
		return name, true
	}
	return "", false
}

// uploadVideo takes a video for conversion. A video that the account has uploaded already is a conflict that names its
// job.
func (a *API) uploadVideo(w http.ResponseWriter, r *http.Request) {
	name, ok := a.uploader(w, r)
	query := r.URL.Query()
	switch {
	case !ok:
		return
	case query.Get("did") != plc+name, query.Get("name") == "":
		invalid(w, "did and name are required")
		return
	case r.Header.Get("Content-Type") != "video/mp4" && r.Header.Get("Content-Type") != "image/gif":
		invalid(w, "unsupported video type")
		return
	}
	item, ok := a.store(w, r, largestWhole)
	if !ok {
		return
	}
	held, ok := a.enter(w, r, fault.StepUpload, token.Grant{Account: name})
	if !ok {
		return
	}
	id := jobID(name, item.SHA256)
	status := http.StatusConflict
	file, again := a.blobs.ofJob(id)
	if !again {
		var err error
		if file, err = a.blobs.add(plc+name, id, item); err != nil {
			broken(w)
			return
		}
		status = http.StatusOK
	}
	shown := a.status(file)
	if again {
		shown["error"], shown["message"] = "already_exists", "Video already processed"
	}
	if !held.Lost(w, r) {
		stage.JSON(w, status, shown)
	}
}

func jobID(name, sum string) string {
	const digits = 20
	return "job-" + url.PathEscape(name) + "-" + sum[:digits]
}

// status returns the state of a conversion.
func (a *API) status(file stored) map[string]any {
	shown := map[string]any{"jobId": file.Job, "did": file.Account, "state": "JOB_STATE_COMPLETED"}
	switch age := file.age(a.stage.Clock.Now()); {
	case age < createdFor:
		shown["state"] = "JOB_STATE_CREATED"
	case age < createdFor+encodingFor:
		shown["state"], shown["progress"] = "JOB_STATE_ENCODING", 50
	default:
		shown["blob"] = file.reference()
	}
	return shown
}

// job returns the state of a conversion. The call needs no token.
func (a *API) job(w http.ResponseWriter, r *http.Request) {
	file, ok := a.blobs.ofJob(r.URL.Query().Get("jobId"))
	if !ok {
		invalid(w, "Job not found")
		return
	}
	held, ok := a.enter(w, r, fault.StepStatus, token.Grant{Account: strings.TrimPrefix(file.Account, plc)})
	if ok && !held.Lost(w, r) {
		stage.JSON(w, http.StatusOK, map[string]any{"jobStatus": a.status(file)})
	}
}
