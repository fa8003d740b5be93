package blueskyapi

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/partfile"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
)

// Uploads in parts.
const (
	partSize    = 5 << 20
	uploadLife  = time.Hour
	longestName = 256
)

// transfer is an upload in parts.
type transfer struct {
	ID      string    `json:"id"`
	Account string    `json:"account"` // the name
	Size    int64     `json:"size"`
	At      time.Time `json:"at"`
	Got     []int64   `json:"got,omitempty"` // numbers of the parts
	Job     string    `json:"job,omitempty"` // after the end
}

// Key returns the id.
func (t transfer) Key() string { return t.ID }

func (t transfer) count() int64 { return (t.Size + partSize - 1) / partSize }

// length returns the size of a part.
func (t transfer) length(number int64) int64 { return min(partSize, t.Size-(number-1)*partSize) }

// start begins an upload in parts (app.bsky.video.startUpload).
func (a *API) start(w http.ResponseWriter, r *http.Request) {
	name, ok := a.uploader(w, r)
	if !ok {
		return
	}
	var given struct {
		Size int64  `json:"sizeBytes"`
		Type string `json:"mimeType"`
		Name string `json:"name"`
	}
	body, ok := stage.ReadBody(w, r)
	switch {
	case !ok:
		return
	case json.Unmarshal(body, &given) != nil || given.Size < 1 || len(given.Name) > longestName:
		invalid(w, "Input must have the property sizeBytes")
		return
	case given.Type != "video/mp4":
		refuse(w, http.StatusBadRequest, "UnsupportedContentType", "unsupported video type")
		return
	case given.Size > largestVideo:
		refuse(w, http.StatusBadRequest, "VideoTooLarge", "The video is too large")
		return
	}
	held, ok := a.enter(w, r, fault.StepUpload, token.Grant{Account: name})
	if !ok {
		return
	}
	now := a.stage.Clock.Now()
	begun := transfer{ID: "upload-" + rand.Text(), Account: name, Size: given.Size, At: now}
	if a.transfers.Keep(begun) != nil {
		broken(w)
		return
	}
	if !held.Lost(w, r) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"jobId": begun.ID, "partSizeBytes": partSize, "partCount": begun.count(), "expiresAt": stamp(now.Add(uploadLife)),
		})
	}
}

// transferOf returns the upload of the account. If there is none, it writes the error response.
func (a *API) transferOf(w http.ResponseWriter, name, id string) (transfer, bool) {
	found, ok := a.transfers.Get(id)
	switch {
	case !ok || found.Account != name:
		refuse(w, http.StatusBadRequest, "UploadNotFound", "Upload not found")
		return transfer{}, false
	case found.Job == "" && a.stage.Clock.Now().Sub(found.At) > uploadLife:
		refuse(w, http.StatusBadRequest, "UploadExpired", "The upload has expired")
		return transfer{}, false
	}
	return found, true
}

// part stores a part (app.bsky.video.uploadPart).
func (a *API) part(w http.ResponseWriter, r *http.Request) {
	name, ok := a.uploader(w, r)
	if !ok {
		return
	}
	query := r.URL.Query()
	found, ok := a.transferOf(w, name, query.Get("jobId"))
	if !ok {
		return
	}
	number, err := strconv.ParseInt(query.Get("partNumber"), 10, 64)
	switch {
	case found.Job != "":
		refuse(w, http.StatusBadRequest, "UploadAlreadyCompleted", "The upload is complete")
		return
	case err != nil || number < 1 || number > found.count():
		refuse(w, http.StatusBadRequest, "InvalidPartNumber", "The part number is out of range")
		return
	case r.Header.Get("Content-Type") != "application/octet-stream":
		invalid(w, "Wrong request encoding (Content-Type): "+r.Header.Get("Content-Type"))
		return
	case r.ContentLength != found.length(number):
		refuse(w, http.StatusBadRequest, "PartSizeMismatch", fmt.Sprintf("expected %d bytes", found.length(number)))
		return
	}
	held, ok := a.enter(w, r, fault.StepUpload, token.Grant{Account: name})
	if !ok {
		return
	}
	err = a.transfers.Write(found.ID, (number-1)*partSize, found.length(number), r.Body)
	if !slices.Contains(found.Got, number) {
		found.Got = append(slices.Clone(found.Got), number)
	}
	if errors.Join(err, a.transfers.Keep(found)) != nil {
		broken(w)
		return
	}
	if !held.Lost(w, r) {
		stage.JSON(w, http.StatusOK, map[string]any{"partNumber": number, "sizeBytes": found.length(number)})
	}
}

// finish hands a complete file over for conversion (app.bsky.video.finishUpload).
func (a *API) finish(w http.ResponseWriter, r *http.Request) {
	name, ok := a.uploader(w, r)
	if !ok {
		return
	}
	var given struct {
		Job string `json:"jobId"`
	}
	body, ok := stage.ReadBody(w, r)
	if !ok {
		return
	}
	if json.Unmarshal(body, &given) != nil {
		invalid(w, "Input must have the property jobId")
		return
	}
	found, ok := a.transferOf(w, name, given.Job)
	if !ok {
		return
	}
	if int64(len(found.Got)) < found.count() {
		refuse(w, http.StatusBadRequest, "MissingParts", fmt.Sprintf("%d parts are missing", found.count()-int64(len(found.Got))))
		return
	}
	held, ok := a.enter(w, r, fault.StepUpload, token.Grant{Account: name})
	if !ok {
		return
	}
	if found.Job == "" && !a.join(w, r, &found) {
		return
	}
	file, _ := a.blobs.ofJob(found.Job)
	if !held.Lost(w, r) {
		stage.JSON(w, http.StatusOK, map[string]any{"completedJobId": found.Job, "jobStatus": a.status(file)})
	}
}

// join makes a video of the parts. If that is impossible, it writes the error response.
func (a *API) join(w http.ResponseWriter, r *http.Request, of *transfer) bool {
	file, err := a.transfers.Open(of.ID, of.Size)
	if err != nil {
		broken(w)
		return false
	}
	item, err := a.stage.Media.Put(r.Context(), file, largestVideo)
	_ = file.Close()
	if err != nil || item.ContentType != "video/mp4" {
		refuse(w, http.StatusBadRequest, "UnsupportedContentType", "The file is not a video")
		return false
	}
	job := jobID(of.Account, item.SHA256)
	if _, again := a.blobs.ofJob(job); !again {
		_, err = a.blobs.add(plc+of.Account, job, item)
	}
	of.Job = job
	if errors.Join(err, a.transfers.Keep(*of)) != nil {
		broken(w)
		return false
	}
	a.transfers.Drop(of.ID)
	return true
}

// files stores the network's contents: files on servers, and uploads in parts.
type files struct {
	blobs     *blobs
	transfers *partfile.Store[transfer]
}

// Clear deletes everything, on disk too.
func (f files) Clear() error { return errors.Join(f.blobs.Clear(), f.transfers.Clear()) }

// Close closes the journals.
func (f files) Close() error { return errors.Join(f.blobs.Close(), f.transfers.Close()) }
