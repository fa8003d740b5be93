package pinterestapi

import (
	"bytes"
	"crypto/rand"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/journal"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/clock"
)

const (
	uploadPath = "/pinterest-s3"
	// formLife is the time in which the form of an upload works, mediaLife that in which a pin can use a video.
	formLife, mediaLife = time.Hour, 24 * time.Hour
	// processFor is the time in which the sandbox "processes" a video.
	processFor   = 250 * time.Millisecond
	largestVideo = 2 << 30
	// largestForm is the largest form that the sandbox holds in memory: its videos are short.
	largestForm = 256 << 20
)

// Video is a registered video.
type Video struct {
	ID        string            `json:"id"`
	Account   string            `json:"account"`
	Fields    map[string]string `json:"fields"` // of its form
	CreatedAt time.Time         `json:"createdAt"`
	EndedAt   time.Time         `json:"endedAt"` // when the bytes arrived; zero before
	Media     ledger.Media      `json:"media"`
	Failure   string            `json:"failure,omitempty"`
}

// state returns the video's state at a time.
func (v Video) state(now time.Time) string {
	switch {
	case v.EndedAt.IsZero():
		return "registered"
	case now.Before(v.EndedAt.Add(processFor)):
		return "processing"
	case v.Failure != "":
		return "failed"
	default:
		return "succeeded"
	}
}

// Videos stores registered videos across restarts. It is safe for concurrent use.
type Videos struct {
	clock   clock.Clock
	records *journal.Records[Video]

	mu   sync.Mutex
	last uint64
}

// OpenVideos reads the videos' file in the folder.
func OpenVideos(folder string, clk clock.Clock, logger *slog.Logger) (*Videos, error) {
	records, err := journal.OpenRecords(filepath.Join(folder, "videos.jsonl"), logger, func(v Video) string { return v.ID })
	if err != nil {
		return nil, err
	}
	s := &Videos{clock: clk, records: records}
	for video := range records.All() {
		if number, err := strconv.ParseUint(video.ID, 10, 64); err == nil {
			s.last = max(s.last, number)
		}
	}
	return s, nil
}

// Close closes the journal.
func (s *Videos) Close() error { return s.records.Close() }

// Begin registers a video.
func (s *Videos) Begin(account string) (Video, error) {
	const floor = 5_000_000_000_000_000_000
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = max(s.last+1, floor)
	now := s.clock.Now()
	video := Video{ID: strconv.FormatUint(s.last, 10), Account: account, CreatedAt: now, Fields: map[string]string{
		"key": "uploads/" + rand.Text(), "policy": rand.Text(), "x-amz-algorithm": "AWS4-HMAC-SHA256",
		"x-amz-credential":     "ASIA/" + now.UTC().Format("20060102") + "/us-east-1/s3/aws4_request",
		"x-amz-date":           now.UTC().Format("20060102T150405Z"),
		"x-amz-security-token": rand.Text(), "x-amz-signature": rand.Text(),
		"Content-Type": "multipart/form-data",
	}}
	return video, s.Keep(video)
}

// Keep stores the new state of a video and returns when it is on disk.
func (s *Videos) Keep(video Video) error {
	if err := s.records.Keep(video); err != nil {
		return fmt.Errorf("pinterest: %w", err)
	}
	return nil
}

// Of returns the account's video with that id. It returns false if there is none or if it is expired.
func (s *Videos) Of(account, id string) (Video, bool) {
	video, ok := s.records.Of(id)
	return video, ok && video.Account == account && s.clock.Now().Before(video.CreatedAt.Add(mediaLife))
}

// OfKey returns the video whose form has the key.
func (s *Videos) OfKey(key string) (Video, bool) {
	for video := range s.records.All() {
		if video.Fields["key"] == key {
			return video, true
		}
	}
	return Video{}, false
}

// Clear deletes all videos, on disk too.
func (s *Videos) Clear() error {
	if err := s.records.Clear(); err != nil {
		return fmt.Errorf("pinterest: %w", err)
	}
	return nil
}

// register registers a video and returns the form of its upload.
func (a *API) register(w http.ResponseWriter, r request) {
	var body struct {
		Type string `json:"media_type"`
	}
	if err := r.decode(&body); err != nil || body.Type != "video" {
		invalid(w, "'media_type' is not one of ['video']")
		return
	}
	video, err := a.videos.Begin(r.account)
	if err != nil {
		broken(w)
		return
	}
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusCreated, map[string]any{
			"media_id": video.ID, "media_type": "video", "upload_url": "http://" + r.Host + uploadPath + "/",
			"upload_parameters": video.Fields,
		})
	}
}

// status returns the state of a video.
func (a *API) status(w http.ResponseWriter, r request) {
	video, ok := a.videos.Of(r.account, r.PathValue("id"))
	if !ok {
		apiError(w, http.StatusNotFound, codeNotFound, "Media not found.")
		return
	}
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"media_id": video.ID, "media_type": "video", "status": video.state(a.stage.Clock.Now()),
		})
	}
}

// receive accepts the form of an upload as S3 does: the policy's fields in any order, then the file as the last field.
// S3 ignores fields after the file. The form works until it expires, also a second time.
func (a *API) receive(w http.ResponseWriter, r *http.Request) {
	body, ok := stage.ReadLargeBody(w, r, largestForm)
	if !ok {
		return
	}
	fields, file, err := formOf(r.Header.Get("Content-Type"), body)
	if err != nil {
		storageError(w, http.StatusBadRequest, "MalformedPOSTRequest", err.Error())
		return
	}
	video, ok := a.videos.OfKey(fields["key"])
	if !ok {
		storageError(w, http.StatusForbidden, "AccessDenied", "Invalid according to Policy")
		return
	}
	call := stage.Call{Network: channel.NetworkPinterest, Account: video.Account, Step: fault.StepUpload}
	held, ok := a.stage.Enter(w, r, call, storageDialect{})
	if !ok {
		return
	}
	for name, value := range video.Fields {
		if fields[name] != value {
			storageError(w, http.StatusForbidden, "AccessDenied", "Invalid according to Policy: Policy Condition failed: "+name)
			return
		}
	}
	if !a.stage.Clock.Now().Before(video.CreatedAt.Add(formLife)) {
		storageError(w, http.StatusForbidden, "AccessDenied", "Invalid according to Policy: Policy expired.")
		return
	}
	item, err := a.stage.Media.Put(r.Context(), bytes.NewReader(file), largestVideo)
	switch {
	case errors.Is(err, mediastore.ErrUnsupported), errors.Is(err, mediastore.ErrEmpty):
		video.Failure = "unsupported"
	case err != nil:
		storageError(w, http.StatusInternalServerError, "InternalError", "The sandbox's files cannot be written.")
		return
	case item.ContentType != media.ContentTypeMP4 && item.ContentType != media.ContentTypeMOV:
		video.Failure = "unsupported"
	default:
		video.Failure, video.Media = "", item.Media(video.ID, "")
	}
	video.EndedAt = a.stage.Clock.Now()
	if err := a.videos.Keep(video); err != nil {
		storageError(w, http.StatusInternalServerError, "InternalError", "The sandbox's files cannot be written.")
		return
	}
	if !held.Lost(w, r) {
		w.WriteHeader(http.StatusNoContent)
	}
}

// formOf returns the fields before the file, and the file.
func formOf(contentType string, body []byte) (fields map[string]string, file []byte, err error) {
	kind, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "multipart/form-data" {
		return nil, nil, errors.New("Content-Type must be multipart/form-data")
	}
	form, fields := multipart.NewReader(bytes.NewReader(body), parameters["boundary"]), make(map[string]string)
	for {
		part, err := form.NextRawPart()
		if err != nil {
			return nil, nil, errors.New("POST requires exactly one file upload per request")
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, nil, errors.New("the body of your POST request is not well-formed multipart/form-data")
		}
		if part.FormName() == "file" {
			return fields, content, nil
		}
		fields[part.FormName()] = string(content)
	}
}

// storageError writes the object storage's error shape.
func storageError(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_ = xml.NewEncoder(w).Encode(struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
		Message string
	}{Code: code, Message: message})
}

// storageDialect writes the object storage's error responses.
type storageDialect struct{}

// Rejected writes the response to a form that the storage does not accept.
func (storageDialect) Rejected(w http.ResponseWriter) {
	storageError(w, http.StatusForbidden, "AccessDenied", "Access Denied")
}

// RateLimited writes the response to too many requests.
func (storageDialect) RateLimited(w http.ResponseWriter, seconds int) {
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	storageError(w, http.StatusServiceUnavailable, "SlowDown", "Reduce your request rate")
}

// Unavailable writes the response when the storage is down.
func (storageDialect) Unavailable(w http.ResponseWriter) {
	storageError(w, http.StatusServiceUnavailable, "ServiceUnavailable", "Please try again")
}

// Unauthorized writes the response to an invalid signature.
func (storageDialect) Unauthorized(w http.ResponseWriter) {
	storageError(w, http.StatusForbidden, "SignatureDoesNotMatch", "The request signature does not match")
}
