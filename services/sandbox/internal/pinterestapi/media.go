package pinterestapi

import (
	"crypto/rand"
	"encoding/xml"
	"net/http"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
)

const (
	uploadPath = "/pinterest-s3"
	// formLife is the time in which the form of an upload works, mediaLife that in which a pin can use a video.
	formLife, mediaLife = time.Hour, 24 * time.Hour
	largestVideo        = 2 << 30
	// largestForm is the largest form that the sandbox holds in memory: its videos are short.
	largestForm = 256 << 20
)

// video is a registered video.
type video struct {
	ID        string            `json:"id"`
	Account   string            `json:"account"`
	Fields    map[string]string `json:"fields"` // of its form
	CreatedAt time.Time         `json:"createdAt"`
	EndedAt   time.Time         `json:"endedAt"` // when the bytes arrived; zero before
	Media     ledger.Media      `json:"media"`
	Failed    bool              `json:"failed,omitempty"`
}

// Key returns the id.
func (v video) Key() string { return v.ID }

func (v video) state(now time.Time) string {
	return mediastore.Progress{
		Waiting: "registered", Processing: "processing", Failed: "failed", Done: "succeeded", Time: 250 * time.Millisecond,
	}.State(v.EndedAt, now, v.Failed)
}

// video returns the account's video with that id. It returns false if there is none or if it is expired.
func (a *api) video(account, id string) (video, bool) {
	v, ok := a.videos.Get(id)
	return v, ok && v.Account == account && a.Stage.Clock.Now().Before(v.CreatedAt.Add(mediaLife))
}

// ready returns the video of a pin, which is processed and has a cover.
func (a *api) ready(account string, s *pinSource) (video, string) {
	v, ok := a.video(account, s.MediaID)
	state := v.state(a.Stage.Clock.Now())
	return v, stage.If(s.CoverMoment == nil && s.CoverURL == "" && (s.CoverData == "" || s.CoverType == ""),
		"Missing parameter: cover_image_url or cover_image_content_type").
		Or(s.CoverMoment != nil && *s.CoverMoment < 0, "'cover_image_key_frame_time' must not be negative").
		Or(!ok, "The media id is not valid").Or(state != "succeeded", "The media is not ready: "+state).Fault
}

// register registers a video and returns the form of its upload.
func (a *api) register(r stage.Request) stage.Response {
	const floor = 5_000_000_000_000_000_000
	var body struct {
		Type string `json:"media_type"`
	}
	if err := r.JSON(&body); err != nil || body.Type != "video" {
		return invalid("'media_type' is not one of ['video']")
	}
	now := a.Stage.Clock.Now()
	v := video{ID: a.videos.Next(floor), Account: r.Account, CreatedAt: now, Fields: map[string]string{
		"key": "uploads/" + rand.Text(), "policy": rand.Text(), "x-amz-algorithm": "AWS4-HMAC-SHA256",
		"x-amz-credential":     "ASIA/" + now.UTC().Format("20060102") + "/us-east-1/s3/aws4_request",
		"x-amz-date":           now.UTC().Format("20060102T150405Z"),
		"x-amz-security-token": rand.Text(), "x-amz-signature": rand.Text(), "Content-Type": "multipart/form-data",
	}}
	return a.After(a.videos.Keep(v), stage.Created(stage.Object{
		"media_id": v.ID, "media_type": "video", "upload_url": "http://" + r.Host + uploadPath + "/",
		"upload_parameters": v.Fields,
	}))
}

// status returns the state of a video.
func (a *api) status(r stage.Request) stage.Response {
	v, ok := a.video(r.Account, r.PathValue("id"))
	if !ok {
		return refuse(http.StatusNotFound, codeNotFound, "Media not found.")
	}
	return stage.OK(stage.Object{"media_id": v.ID, "media_type": "video", "status": v.state(a.Stage.Clock.Now())})
}

// receive accepts the form of an upload as S3 does: the policy's fields in any order, then the file as the last field.
// S3 ignores fields after the file. The form works until it expires, also a second time.
func (a *api) receive(w http.ResponseWriter, r *http.Request) {
	body, ok := stage.ReadLargeBody(w, r, largestForm)
	if !ok {
		return
	}
	parts, err := stage.Request{Request: r, Body: body}.Parts("file")
	if err != nil {
		storageError(http.StatusBadRequest, "MalformedPOSTRequest",
			"The body of your POST request is not well-formed multipart/form-data with one file").Write(w)
		return
	}
	named := a.videos.List(func(v video) bool { return v.Fields["key"] == parts["key"] })
	if len(named) == 0 {
		storageError(http.StatusForbidden, "AccessDenied", "Invalid according to Policy").Write(w)
		return
	}
	words := stage.Words{
		Rejected:     storageError(http.StatusForbidden, "AccessDenied", "Access Denied"),
		Limited:      storageError(http.StatusServiceUnavailable, "SlowDown", "Reduce your request rate"),
		Unavailable:  storageError(http.StatusServiceUnavailable, "ServiceUnavailable", "Please try again"),
		Unauthorized: storageError(http.StatusForbidden, "SignatureDoesNotMatch", "The request signature does not match"),
	}
	a.Stage.Perform(w, r, words, func() stage.Response { return a.keep(r, named[0], parts) }, stage.Call{
		Network: channel.NetworkPinterest, Account: named[0].Account, Step: stage.StepUpload,
	})
}

// keep checks the form and stores its file.
func (a *api) keep(r *http.Request, v video, parts map[string]string) stage.Response {
	for name, value := range v.Fields {
		if parts[name] != value {
			return storageError(http.StatusForbidden, "AccessDenied",
				"Invalid according to Policy: Policy Condition failed: "+name)
		}
	}
	now := a.Stage.Clock.Now()
	if !now.Before(v.CreatedAt.Add(formLife)) {
		return storageError(http.StatusForbidden, "AccessDenied", "Invalid according to Policy: Policy expired.")
	}
	item, usable, err := a.Stage.Media.Check(r.Context(), strings.NewReader(parts["file"]), largestVideo,
		media.ContentTypeMP4, media.ContentTypeMOV)
	v.EndedAt, v.Failed, v.Media = now, !usable, item.Media(v.ID, "")
	if err != nil || a.videos.Keep(v) != nil {
		return storageError(http.StatusInternalServerError, "InternalError", "The sandbox's files cannot be written.")
	}
	return stage.Empty(http.StatusNoContent)
}

// storageError returns the object storage's error shape.
func storageError(status int, code, message string) stage.Response {
	return stage.Refuse(status, stage.XML{Document: struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
		Message string
	}{Code: code, Message: message}})
}
