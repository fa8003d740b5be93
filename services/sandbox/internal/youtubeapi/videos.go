package youtubeapi

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

const (
	// uploadPath is the path of uploads: Google serves them at the API's path after /upload.
	uploadPath   = "/upload/youtube/videos"
	largestVideo = 256 << 30
	largestCover = 50 << 20
	// sessionLife is the time for which an upload can be resumed.
	sessionLife = 7 * 24 * time.Hour

	privacyPrivate = "private"
	privacyPublic  = "public"

	statusUploaded  = "uploaded"
	statusProcessed = "processed"
	statusFailed    = "failed"
	statusRejected  = "rejected"
)

// video is a video, or the session that uploads one: a video exists from the end of its upload.
type video struct {
	ID      string    `json:"id"`      // of the video
	Session string    `json:"session"` // secret in the address of the upload session
	Account string    `json:"account"`
	Begun   time.Time `json:"begun"` // when the session was created
	Total   int64     `json:"total"` // bytes
	Got     int64     `json:"got"`   // bytes from the start of the file
	Snippet snippet   `json:"snippet"`
	Status  status    `json:"status"`
	Notify  bool      `json:"notify"` // whether subscribers are notified

	UploadedAt time.Time    `json:"uploadedAt,omitzero"` // zero while the upload goes on
	Media      ledger.Media `json:"media,omitzero"`
	// Ended is the end of the processing if the video cannot be used, failed or rejected, and Reason is why.
	Ended   string `json:"ended,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Cover   string `json:"cover,omitempty"` // SHA-256 of the thumbnail
	Deleted bool   `json:"deleted,omitempty"`
}

// Key returns the video's id.
func (v video) Key() string { return v.ID }

// exists reports whether the video is uploaded and not deleted.
func (v video) exists() bool { return !v.UploadedAt.IsZero() && !v.Deleted }

// snippet is the part of a video that its author writes.
type snippet struct {
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Tags        []string `json:"tags,omitempty"`
	CategoryID  string   `json:"categoryId"`
}

// status is the part of a video that its author sets.
type status struct {
	Privacy     string `json:"privacyStatus"`
	License     string `json:"license"`
	Embeddable  *bool  `json:"embeddable,omitempty"`
	Statistics  *bool  `json:"publicStatsViewable,omitempty"`
	MadeForKids *bool  `json:"selfDeclaredMadeForKids,omitempty"`
	Synthetic   *bool  `json:"containsSyntheticMedia,omitempty"`
}

// uploadStatus returns YouTube's processing state of the video.
func (v video) uploadStatus(now time.Time) string {
	return mediastore.Progress{
		Processing: statusUploaded, Failed: v.Ended, Done: statusProcessed, Time: 250 * time.Millisecond,
	}.State(v.UploadedAt, now, v.Ended != "")
}

// reviewed returns the video as the review that was set for its account leaves it.
func (a *api) reviewed(v video) video {
	switch end, set := a.Stage.Reviewed(network, v.Account, v.UploadedAt); {
	case set && end == stage.ReviewNever:
		v.UploadedAt = a.Stage.Clock.Now()
	case set && end == stage.ReviewRefused:
		v.Ended, v.Reason = statusRejected, "termsOfUse"
	}
	return v
}

// resource returns the status part of the video, as YouTube reports it.
func (a *api) resource(v video) stage.Object {
	v = a.reviewed(v)
	uploaded := v.uploadStatus(a.Stage.Clock.Now())
	state := stage.Object{
		"uploadStatus": uploaded, "privacyStatus": v.Status.Privacy, "license": v.Status.License,
		"embeddable":          v.Status.Embeddable == nil || *v.Status.Embeddable,
		"madeForKids":         v.Status.MadeForKids != nil && *v.Status.MadeForKids,
		"publicStatsViewable": v.Status.Statistics == nil || *v.Status.Statistics,
	}
	if v.Status.MadeForKids != nil {
		state["selfDeclaredMadeForKids"] = *v.Status.MadeForKids
	}
	if v.Status.Synthetic != nil {
		state["containsSyntheticMedia"] = *v.Status.Synthetic
	}
	switch uploaded {
	case statusFailed:
		state["failureReason"] = v.Reason
	case statusRejected:
		state["rejectionReason"] = v.Reason
	}
	return state
}

// fault returns the reason why YouTube does not accept the metadata, or an empty string. Tags with blanks are stored in
// quotes.
func (s snippet) fault() string {
	const longestTitle, longestDescription, longestTags = 100, 5000, 500
	angled := func(text string) bool { return strings.ContainsAny(text, "<>") }
	tags := 0
	for _, tag := range s.Tags {
		if tags += utf8.RuneCountInString(tag); strings.Contains(tag, " ") {
			tags += len(`""`)
		}
	}
	categories := strings.Fields("1 2 10 15 17 19 20 22 23 24 25 26 27 28 29") // those of most regions
	return stage.If(s.Title == "" || utf8.RuneCountInString(s.Title) > longestTitle || angled(s.Title), "invalidTitle").
		Or(len(s.Description) > longestDescription || angled(s.Description), "invalidDescription").
		Or(!slices.Contains(categories, s.CategoryID), "invalidCategoryId").
		Or(tags > longestTags, "invalidTags").Fault
}

// fault returns the reason why YouTube does not accept the status, or an empty string.
func (s status) fault() string {
	privacies, licenses := []string{privacyPrivate, "unlisted", privacyPublic}, []string{"", "youtube", "creativeCommon"}
	return stage.If(!slices.Contains(privacies, s.Privacy), "invalidVideoMetadata").
		Or(!slices.Contains(licenses, s.License), "forbiddenLicenseSetting").Fault
}

// wrongMetadata is the refusal for a reason.
func wrongMetadata(reason string) stage.Response {
	code := http.StatusBadRequest
	if strings.HasPrefix(reason, "forbidden") {
		code = http.StatusForbidden
	}
	return refuse(code, reason, "The request metadata is invalid.")
}

// usedUp reports whether the project has created as many upload sessions today as it may: 100 a day of the Pacific zone. The
// quota exists only while the sandbox is strict. The sandbox's images have no zone files, so standard time is used where the
// zone is unknown.
func (a *api) usedUp() bool {
	const perDay, standard = 100, -8 * 60 * 60
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		zone = time.FixedZone("PST", standard)
	}
	today := a.Stage.Clock.Now().In(zone).Format(time.DateOnly)
	used := a.files.List(func(v video) bool { return v.Begun.In(zone).Format(time.DateOnly) == today })
	return a.Stage.Strict() && len(used) >= perDay
}

// insert creates an upload session. It counts as one of the project's uploads of the day.
func (a *api) insert(r stage.Request) stage.Response {
	var raw [8]byte
	_, _ = rand.Read(raw[:]) // never fails
	v := video{
		ID: base64.RawURLEncoding.EncodeToString(raw[:]), Session: rand.Text(), Account: r.Account, Begun: a.Stage.Clock.Now(),
		Notify: r.Values.Get("notifySubscribers") != "false", Status: status{Privacy: privacyPublic}, // of a video without one
	}
	size, sizeErr := strconv.ParseInt(r.Header.Get("X-Upload-Content-Length"), 10, 64)
	v.Total = size
	declared, parts := r.Header.Get("X-Upload-Content-Type"), r.List("part")
	jsonErr := json.Unmarshal(r.Body, &struct {
		Snippet *snippet `json:"snippet"`
		Status  *status  `json:"status"`
	}{&v.Snippet, &v.Status})
	complete := slices.Contains(parts, "snippet") && slices.Contains(parts, "status")
	rule := stage.If(r.Values.Get("uploadType") != "resumable" || !complete, "missingRequiredParameter").
		Or(sizeErr != nil || size < 1 || size > largestVideo, "mediaBodyRequired").
		Or(!strings.HasPrefix(declared, "video/") && declared != "application/octet-stream", "badContent").
		Or(!r.IsJSON() || jsonErr != nil, "parseError").
		Or(v.Snippet.fault() != "", v.Snippet.fault()).
		Or(v.Status.fault() != "", v.Status.fault())
	switch {
	case rule.Broken:
		return wrongMetadata(rule.Fault)
	case a.usedUp():
		return refuse(http.StatusForbidden, "quotaExceeded",
			"The request cannot be completed because you have exceeded your quota.")
	}
	query := url.Values{"uploadType": {"resumable"}, "part": {r.Values.Get("part")}, "upload_id": {v.Session}}
	return a.After(a.files.Keep(v), stage.Empty(http.StatusOK).
		With("Location", "http://"+r.Host+uploadPath+"?"+query.Encode()). // Google's own host, as the client called it
		With("X-GUploader-UploadID", v.Session))
}

// upload receives a chunk, or reports the state of an upload. The body goes to disk while it arrives.
func (a *api) upload(w http.ResponseWriter, r *http.Request) {
	at, err := mediastore.ParseRange(r.Header.Get("Content-Range"))
	step := stage.StepUpload
	if at.Status {
		step = stage.StepStatus
	}
	request, refusal := a.Admit(r, nil, scopeUpload)
	if refusal != nil {
		refusal.Write(w)
		return
	}
	v, known := a.session(request.Account, r.URL.Query().Get("upload_id"))
	if known && err == nil && !at.Status && v.UploadedAt.IsZero() {
		err = a.receive(v, at, r.Body)
	}
	_, _ = io.Copy(io.Discard, r.Body) // so that the client reads the response
	a.Perform(w, request, step, func() stage.Response {
		switch {
		case !known:
			return refuse(http.StatusNotFound, "notFound", "The upload session does not exist.")
		case err != nil || at.Total != v.Total:
			return badRequest("badContent", "The range is invalid: "+fmt.Sprint(err))
		case at.Status || !v.UploadedAt.IsZero():
			return a.progress(v)
		default:
			return a.arrived(r, v, at)
		}
	})
}

// receive writes a chunk to disk.
func (a *api) receive(v video, at mediastore.Range, body io.Reader) error {
	const unit = 256 << 10 // divides the size of every chunk but the last
	switch {
	case at.Total != v.Total || at.From != v.Got:
		return errors.New("the range does not follow the bytes that are there")
	case at.Length()%unit != 0 && at.To+1 != at.Total:
		return errors.New("the chunk is not a multiple of 256 KiB")
	default:
		return a.files.Write(v.ID, at.From, at.Length(), body)
	}
}

// session returns the upload session of the account.
func (a *api) session(account, secret string) (video, bool) {
	found := a.files.List(func(v video) bool { return secret != "" && v.Session == secret && v.Account == account })
	if len(found) == 0 || a.Stage.Clock.Now().Sub(found[0].Begun) > sessionLife {
		return video{}, false
	}
	return found[0], true
}

// arrived counts a chunk that is on disk. The last one creates the video.
func (a *api) arrived(r *http.Request, v video, at mediastore.Range) stage.Response {
	v.Got = at.To + 1
	var err error
	if v.Got == v.Total {
		err = a.complete(r, &v)
	}
	if err == nil {
		err = a.files.Keep(v)
	}
	if err == nil && !v.UploadedAt.IsZero() {
		err = a.files.Drop(v.ID) // the bytes are in the media store
	}
	return a.After(err, a.progress(v))
}

// complete ends the upload and checks the file. YouTube accepts any file, and reports later that it cannot be used.
func (a *api) complete(r *http.Request, v *video) error {
	item, usable, err := a.files.Check(r.Context(), a.Stage.Media, v.ID, v.Total, largestVideo, string(media.Video))
	switch {
	case err != nil:
		return err
	case !usable:
		v.Ended, v.Reason = statusFailed, "invalidFile"
	case strings.Contains(v.Snippet.Title, "[duplicate]"):
		v.Ended, v.Reason = statusRejected, "duplicate"
	}
	v.UploadedAt, v.Media = a.Stage.Clock.Now(), item.Media(v.ID, "")
	if v.Status.Privacy != privacyPrivate {
		return a.show(r, *v)
	}
	return nil
}

// show publishes a video whose visibility was set.
func (a *api) show(r *http.Request, v video) error {
	_, err := a.Stage.Ledger.Publish(ledger.Draft{
		ID: v.ID, Platform: network, Account: v.Account, Author: stage.Username(v.Account), Title: v.Snippet.Title,
		Text: v.Snippet.Description, Visibility: v.Status.Privacy, Media: []ledger.Media{v.Media},
		RequestID: stage.RequestID(r), Origin: v.ID, OneOrigin: true,
	})
	if errors.Is(err, ledger.ErrPublished) {
		return nil
	}
	return err
}

// progress reports the state of an upload.
func (a *api) progress(v video) stage.Response {
	if !v.UploadedAt.IsZero() {
		return stage.OK(stage.Object{"kind": "youtube#video", "id": v.ID, "snippet": v.Snippet, "status": a.resource(v)})
	}
	incomplete := stage.Empty(http.StatusPermanentRedirect) // "Resume Incomplete"
	if v.Got > 0 {
		return incomplete.With("Range", fmt.Sprintf("bytes=0-%d", v.Got-1))
	}
	return incomplete
}

// setCover stores a thumbnail. YouTube accepts it only of channels with a verified phone number, and of a Short only
// after it was processed. All videos of an account with "shorts" in its name are Shorts.
func (a *api) setCover(r stage.Request) stage.Response {
	cover := r.Form.Files[0]
	picture := cover.Item.ContentType == media.ContentTypeJPEG || cover.Item.ContentType == media.ContentTypePNG
	v, known := a.files.Get(r.Values.Get("videoId"))
	processing := v.uploadStatus(a.Stage.Clock.Now()) == statusUploaded
	rule := stage.If(!known || v.Account != r.Account || v.UploadedAt.IsZero(),
		refuse(http.StatusNotFound, "videoNotFound", "The video cannot be found.")).
		Or(strings.Contains(v.Account, "shorts") && processing,
			refuse(http.StatusForbidden, "forbidden", "The thumbnail can't be set for the specified video.")).
		Or(strings.Contains(v.Account, "unverified"), refuse(http.StatusForbidden, "forbidden",
			"The authenticated user doesn't have permissions to upload and set custom video thumbnails.")).
		Or(cover.Err != nil || !picture, badRequest("invalidImage", "The image content is invalid."))
	if rule.Broken {
		return rule.Fault
	}
	v.Cover = cover.Item.SHA256
	return a.After(a.files.Keep(v), stage.OK(stage.Object{"kind": "youtube#thumbnailSetResponse", "items": []any{}}))
}
