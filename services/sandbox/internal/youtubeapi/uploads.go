package youtubeapi

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/partfile"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

// uploadPath is the path of uploads: Google serves them at the API's path after /upload.
const uploadPath = "/upload/youtube/videos"

// insert creates an upload session. It counts as one of the project's uploads of the day.
func (a *API) insert(w http.ResponseWriter, r request) {
	made, reason := sessionOf(r)
	switch {
	case reason != "":
		apiError(w, statusFor(reason), reason, "The request metadata is invalid.")
		return
	case a.usedUp():
		apiError(w, http.StatusForbidden, "quotaExceeded",
			"The request cannot be completed because you have exceeded your quota.")
		return
	}
	made.ID, made.Session, made.Account, made.Begun = newID(), rand.Text(), r.account, a.stage.Clock.Now()
	if err := a.files.Keep(made); err != nil {
		broken(w)
		return
	}
	if !r.held.Lost(w, r.Request) {
		query := url.Values{
			"uploadType": {"resumable"}, "part": {r.URL.Query().Get("part")}, "upload_id": {made.Session},
		}
		// Google's own host, as the client called it.
		w.Header().Set("Location", "http://"+r.Host+uploadPath+"?"+query.Encode())
		w.Header().Set("X-GUploader-UploadID", made.Session)
		w.WriteHeader(http.StatusOK)
	}
}

// sessionOf reads the request for a session. It returns the reason why the request is invalid.
func sessionOf(r request) (video, string) {
	query := r.URL.Query()
	size, err := strconv.ParseInt(r.Header.Get("X-Upload-Content-Length"), 10, 64)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	declared := r.Header.Get("X-Upload-Content-Type")
	parts := strings.Split(query.Get("part"), ",")
	body := struct {
		Snippet snippet `json:"snippet"`
		Status  status  `json:"status"`
	}{Status: status{Privacy: privacyPublic}} // of a video without one
	switch {
	case query.Get("uploadType") != "resumable", !slices.Contains(parts, "snippet"), !slices.Contains(parts, "status"):
		return video{}, "missingRequiredParameter"
	case err != nil, size < 1, size > largestVideo:
		return video{}, "mediaBodyRequired"
	case !strings.HasPrefix(declared, "video/") && declared != "application/octet-stream":
		return video{}, "badContent"
	case kind != "application/json", json.Unmarshal(r.body, &body) != nil:
		return video{}, "parseError"
	}
	made := video{
		Total: size, Snippet: body.Snippet, Status: body.Status, Notify: query.Get("notifySubscribers") != "false",
	}
	if fault := made.Snippet.fault(); fault != "" {
		return video{}, fault
	}
	return made, made.Status.fault()
}

// statusFor returns the HTTP status of a reason.
func statusFor(reason string) int {
	if strings.HasPrefix(reason, "forbidden") {
		return http.StatusForbidden
	}
	return http.StatusBadRequest
}

// upload receives a chunk, or reports the state of an upload. The body goes to disk while it arrives.
func (a *API) upload(w http.ResponseWriter, r *http.Request) {
	at, rangeErr := partfile.ParseRange(r.Header.Get("Content-Range"))
	step := fault.StepUpload
	if at.Status {
		step = fault.StepStatus
	}
	call, ok := a.admit(w, r, scopeUpload, step)
	if !ok {
		return
	}
	made, known := a.session(call.Account, r.URL.Query().Get("upload_id"))
	if known && rangeErr == nil && !at.Status && made.UploadedAt.IsZero() {
		rangeErr = a.receive(made, at, r.Body)
	}
	_, _ = io.Copy(io.Discard, r.Body) // so that the client reads the response
	held, ok := a.stage.Enter(w, r, call, dialect{})
	switch {
	case !ok:
	case !known:
		apiError(w, http.StatusNotFound, "notFound", "The upload session does not exist.")
	case rangeErr != nil, at.Total != made.Total:
		apiError(w, http.StatusBadRequest, "badContent", "The range is invalid: "+fmt.Sprint(rangeErr))
	case at.Status || !made.UploadedAt.IsZero():
		a.answerUpload(w, r, held, made)
	default:
		a.arrived(w, r, held, made, at)
	}
}

var (
	errPlace = errors.New("the range does not follow the bytes that are there")
	errUnit  = errors.New("the chunk is not a multiple of 256 KiB")
)

// receive writes a chunk to disk.
func (a *API) receive(made video, at partfile.Range, body io.Reader) error {
	switch {
	case at.Total != made.Total || at.From != made.Got:
		return errPlace
	case at.Length()%chunkUnit != 0 && at.To+1 != at.Total:
		return errUnit
	default:
		return a.files.Write(made.ID, at.From, at.Length(), body)
	}
}

// session returns the upload session of the account.
func (a *API) session(account, secret string) (video, bool) {
	found := a.files.List(func(v video) bool { return secret != "" && v.Session == secret && v.Account == account })
	if len(found) == 0 || a.stage.Clock.Now().Sub(found[0].Begun) > sessionLife {
		return video{}, false
	}
	return found[0], true
}

// arrived counts a chunk that is on disk. The last one creates the video.
func (a *API) arrived(w http.ResponseWriter, r *http.Request, held stage.Held, made video, at partfile.Range) {
	made.Got = at.To + 1
	if made.Got == made.Total {
		if err := a.complete(r, &made); err != nil {
			broken(w)
			return
		}
	}
	if err := a.files.Keep(made); err != nil {
		broken(w)
		return
	}
	if !made.UploadedAt.IsZero() {
		a.files.Drop(made.ID) // the bytes are in the media store
	}
	a.answerUpload(w, r, held, made)
}

// complete ends the upload and checks the file. YouTube accepts any file, and reports later that it cannot be used.
func (a *API) complete(r *http.Request, made *video) error {
	file, err := a.files.Open(made.ID, made.Total)
	if err != nil {
		return err
	}
	item, err := a.stage.Media.Put(r.Context(), file, largestVideo)
	err = errors.Join(err, file.Close())
	switch {
	case errors.Is(err, mediastore.ErrUnsupported), err == nil && item.Type != media.Video:
		made.Refusal = refusal{statusFailed, "invalidFile"}
	case err != nil:
		return err
	case strings.Contains(made.Snippet.Title, "[duplicate]"):
		made.Refusal = refusal{statusRejected, "duplicate"}
	}
	made.UploadedAt, made.Media = a.stage.Clock.Now(), item.Media(made.ID, "")
	if made.Status.Privacy != privacyPrivate {
		return a.show(r, *made)
	}
	return nil
}

// show publishes a video whose visibility was set.
func (a *API) show(r *http.Request, made video) error {
	_, err := a.stage.Ledger.Publish(ledger.Draft{
		ID: made.ID, Platform: network, Account: made.Account, Author: stage.Username(made.Account),
		Title: made.Snippet.Title, Text: made.Snippet.Description, Visibility: made.Status.Privacy,
		Media: []ledger.Media{made.Media}, RequestID: stage.RequestID(r), Origin: made.ID, OneOrigin: true,
	})
	if errors.Is(err, ledger.ErrPublished) {
		return nil
	}
	return err
}

// answerUpload reports the state of an upload.
func (a *API) answerUpload(w http.ResponseWriter, r *http.Request, held stage.Held, made video) {
	if held.Lost(w, r) {
		return
	}
	if !made.UploadedAt.IsZero() {
		stage.JSON(w, http.StatusOK, map[string]any{
			"kind": "youtube#video", "id": made.ID, "snippet": made.Snippet,
			"status": a.judged(made).resource(a.stage.Clock.Now()),
		})
		return
	}
	if made.Got > 0 {
		w.Header().Set("Range", fmt.Sprintf("bytes=0-%d", made.Got-1))
	}
	w.WriteHeader(http.StatusPermanentRedirect) // "Resume Incomplete"
}

// setCover stores a thumbnail. YouTube accepts it only of channels with a verified phone number, and of a Short only
// after it was processed. All videos of an account with "shorts" in its name are Shorts.
func (a *API) setCover(w http.ResponseWriter, r *http.Request) {
	call, ok := a.admit(w, r, scopeWrite, fault.StepUpload)
	if !ok {
		return
	}
	item, putErr := a.stage.Media.Put(r.Context(), r.Body, largestCover)
	held, ok := a.stage.Enter(w, r, call, dialect{})
	if !ok {
		return
	}
	made, known := a.files.Get(r.URL.Query().Get("videoId"))
	switch {
	case !known, made.Account != call.Account, made.UploadedAt.IsZero():
		apiError(w, http.StatusNotFound, "videoNotFound", "The video cannot be found.")
		return
	case strings.Contains(call.Account, "shorts") && made.uploadStatus(a.stage.Clock.Now()) == statusUploaded:
		apiError(w, http.StatusForbidden, "forbidden", "The thumbnail can't be set for the specified video.")
		return
	case strings.Contains(call.Account, "unverified"):
		apiError(w, http.StatusForbidden, "forbidden",
			"The authenticated user doesn't have permissions to upload and set custom video thumbnails.")
		return
	case putErr != nil, item.ContentType != media.ContentTypeJPEG && item.ContentType != media.ContentTypePNG:
		apiError(w, http.StatusBadRequest, "invalidImage", "The image content is invalid.")
		return
	}
	made.Cover = item.SHA256
	if err := a.files.Keep(made); err != nil {
		broken(w)
		return
	}
	if !held.Lost(w, r) {
		stage.JSON(w, http.StatusOK, map[string]any{"kind": "youtube#thumbnailSetResponse", "items": []any{}})
	}
}

// newID returns an id in YouTube's format.
func newID() string {
	var raw [8]byte
	_, _ = rand.Read(raw[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

// broken reports that the sandbox's own disk failed.
func broken(w http.ResponseWriter) {
	apiError(w, http.StatusInternalServerError, "backendError", "The sandbox's files cannot be written.")
}
