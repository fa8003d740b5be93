package facebookapi

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/count"
	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
)

// Limits of videos.
const (
	videoLimit   = 10 << 30 // bytes
	titleLimit   = 255
	reelsPerDay  = 30
	dayOfReels   = 24 * time.Hour
	offsetHeader = "File_offset"
)

// inPhases starts or publishes a reel or a story.
func (a *API) inPhases(kind string) func(http.ResponseWriter, request) {
	return func(w http.ResponseWriter, r request) {
		switch r.values.Get("upload_phase") {
		case "start":
			a.start(w, r, kind)
		case "finish":
			a.finish(w, r, kind)
		default:
			graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param upload_phase must be one of {START, FINISH}")
		}
	}
}

// start creates a video without bytes.
func (a *API) start(w http.ResponseWriter, r request, kind string) {
	made, err := a.objects.add(object{Account: r.account, Kind: kind})
	if err != nil {
		dialect{}.Unavailable(w)
		return
	}
	r.answer(w, map[string]string{
		"video_id":   made.ID,
		"upload_url": a.stage.Base(r.Request) + "/facebook/rupload/video-upload/" + r.PathValue("version") + "/" + made.ID,
	})
}

// finish publishes a video whose bytes are complete.
func (a *API) finish(w http.ResponseWriter, r request, kind string) {
	defer a.objects.using(r.account)()
	found, ok := a.objects.of(r.account, r.values.Get("video_id"))
	state := r.values.Get("video_state")
	switch {
	case !ok || found.Kind != kind:
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Invalid video id")
		return
	case found.EndedAt.IsZero():
		graphError(w, http.StatusBadRequest, 6000, 1363130, "There was a problem uploading your video file: the upload is "+
			"not complete.")
		return
	case found.Post != "":
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) The video is published already")
		return
	case kind == kindReel && state != "PUBLISHED":
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param video_state: the sandbox accepts only PUBLISHED")
		return
	case !a.captioned(w, r):
		return
	case kind == kindReel && a.stage.Strict() && a.reels(r.account) >= reelsPerDay:
		graphError(w, http.StatusBadRequest, 9, 0, "(#9) The Page has published the most reels of a day through the API")
		return
	}
	if found.Problem == "" {
		draft := ledger.Draft{
			Text: r.values.Get("description"), Media: []ledger.Media{found.Media}, Origin: found.ID, OneOrigin: true,
			ID: found.ID,
		}
		if kind == kindStory {
			draft.Text = ""
		}
		if _, err := a.publish(r, draft, found); err != nil {
			dialect{}.Unavailable(w)
			return
		}
	}
	answer := map[string]any{"success": true}
	if kind == kindStory {
		answer["post_id"] = storyID(found.ID)
	}
	r.answer(w, answer)
}

// captioned checks the texts of a video. If they are not valid, it writes an error response and returns false.
func (a *API) captioned(w http.ResponseWriter, r request) bool {
	if count.Characters(r.values.Get("description")) > textLimit || count.Characters(r.values.Get("title")) > titleLimit {
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param description or title is too long")
		return false
	}
	return true
}

// reels returns the number of the account's reels of the last day.
func (a *API) reels(account string) int {
	n := 0
	for _, post := range a.stage.Ledger.List(ledger.Filter{
		Platform: network, Account: account, Since: a.stage.Clock.Now().Add(-dayOfReels),
	}) {
		if made, ok := a.objects.of(account, post.ID); ok && made.Kind == kindReel {
			n++
		}
	}
	return n
}

// publishVideo publishes a video in the feed, made from an uploaded file.
func (a *API) publishVideo(w http.ResponseWriter, r request) {
	file, ok := a.objects.file(r.values.Get("fbuploader_video_file_chunk"))
	switch {
	case !ok:
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param fbuploader_video_file_chunk is not a valid upload handle")
		return
	case r.values.Get("published") == "false":
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param published: the sandbox keeps no unpublished videos")
		return
	case !a.captioned(w, r):
		return
	}
	made, err := a.objects.add(object{
		Account: r.account, Kind: kindVideo, Media: file.Media, Total: file.Total, EndedAt: file.EndedAt, Problem: file.Problem,
	})
	if err == nil && made.Problem == "" {
		_, err = a.publish(r, ledger.Draft{
			Text: r.values.Get("description"), Media: []ledger.Media{made.Media}, Origin: made.ID, OneOrigin: true, ID: made.ID,
		}, made)
	}
	if err != nil {
		dialect{}.Unavailable(w)
		return
	}
	r.answer(w, map[string]string{"id": made.ID})
}

// transfer receives the bytes of a reel or a story on the upload host.
func (a *API) transfer(w http.ResponseWriter, r *http.Request) {
	bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "OAuth ")
	grant, err := a.stage.Tokens.Access(network, bearer, publishing()...)
	if !ok || err != nil {
		a.refused(w, grant, publishing(), err)
		return
	}
	found, known := a.objects.of(grant.Account, r.PathValue("id"))
	total, err := strconv.ParseInt(r.Header.Get("file_size"), 10, 64)
	if !known || found.Kind != kindReel && found.Kind != kindStory || err != nil || total < 1 || total > videoLimit {
		uploadError(w, "InvalidParameterError", "The video or its file_size is not valid", false)
		return
	}
	found.Total = total
	call := stage.Call{Network: channel.NetworkFacebook, Account: grant.Account, Step: fault.StepUpload, Grant: grant}
	a.take(w, r, call, found, r.Header.Get("Offset"), func(w http.ResponseWriter, held stage.Held, _ object) {
		if !held.Lost(w, r) {
			stage.JSON(w, http.StatusOK, map[string]bool{"success": true})
		}
	})
}

// take receives the rest of an object's bytes, from the offset that the client names. Bytes that arrived before the
// connection broke are kept.
func (a *API) take(
	w http.ResponseWriter, r *http.Request, call stage.Call, of object, offset string,
	answer func(http.ResponseWriter, stage.Held, object),
) {
	release, ok := a.objects.receive(of.ID)
	if !ok {
		uploadError(w, "ConcurrentRequestError", "Another request sends the file", true)
		return
	}
	defer release()
	from, err := strconv.ParseInt(offset, 10, 64)
	if err != nil || from != a.objects.received(of) || !of.EndedAt.IsZero() {
		_, _ = io.Copy(io.Discard, r.Body)
		uploadError(w, "OffsetInvalidError", "Request starting offset is invalid", false)
		return
	}
	n, err := a.objects.write(of, from, http.MaxBytesReader(w, r.Body, videoLimit))
	if err != nil {
		return // the client is gone
	}
	held, ok := a.stage.Enter(w, r, call, dialect{})
	if !ok {
		_ = a.objects.cut(of, from)
		return
	}
	if from+n != of.Total {
		_ = a.objects.cut(of, from)
		uploadError(w, "PartialRequestError", "Partial request (did not match length of file)", false)
		return
	}
	of, err = a.complete(r, of)
	if err != nil {
		dialect{}.Unavailable(w)
		return
	}
	answer(w, held, of)
}

// complete checks the bytes of an object that is complete. Facebook reports a bad file only when it processes it.
func (a *API) complete(r *http.Request, of object) (object, error) {
	file, err := a.objects.open(of)
	if err != nil {
		return object{}, err
	}
	item, err := a.stage.Media.Put(r.Context(), file, videoLimit)
	_ = file.Close()
	switch {
	case errors.Is(err, mediastore.ErrUnsupported), err == nil && item.Type != media.Video:
		of.Problem = "The video file you selected is in a format that we don't support."
	case err != nil:
		return object{}, err
	}
	of.Media, of.EndedAt = item.Media(of.ID, ""), a.stage.Clock.Now()
	if err := a.objects.keep(of); err != nil {
		return object{}, err
	}
	return of, os.Remove(file.Name()) // the bytes are in the media store
}

// uploadError writes the error shape of the upload host.
func uploadError(w http.ResponseWriter, kind, message string, retriable bool) {
	stage.JSON(w, http.StatusBadRequest, map[string]any{
		"debug_info": map[string]any{"retriable": retriable, "type": kind, "message": message},
	})
}

// readObject returns the requested fields of a photo or a video.
func (a *API) readObject(w http.ResponseWriter, r request, found object) {
	wanted, ok := known(w, r, objectNode(found))
	if !ok {
		return
	}
	all := map[string]any{"id": found.ID, "created_time": metaTime(found.CreatedAt)}
	if found.Kind == kindPhoto {
		if all["alt_text_custom"] = found.Media.AltText; found.Post != "" {
			all["page_story_id"] = found.Post
		}
	} else {
		all["published"], all["description"] = found.Post != "", found.Text
		all["permalink_url"], all["status"] = "/reel/"+found.ID+"/", a.statusOf(found)
		if found.Post != "" && found.Kind != kindStory {
			all["post_id"] = r.account + "_" + found.ID
		}
	}
	shown := pick(all, wanted)
	shown["id"] = found.ID
	r.answer(w, shown)
}

// statusOf returns the state of a video with its phases.
func (a *API) statusOf(found object) map[string]any {
	phase := func(status string) map[string]any { return map[string]any{"status": status} }
	uploading, processing, publishing := phase("in_progress"), phase("not_started"), phase("not_started")
	uploading["bytes_transferred"] = a.objects.received(found)
	state := "uploading"
	end, reviewed := a.stage.Reviewed(network, found.Account, found.PostedAt)
	switch {
	case found.EndedAt.IsZero():
	case found.Problem != "", reviewed && end == stage.ReviewRefused:
		state, uploading["status"], processing["status"] = "error", "complete", "error"
		message := cmp.Or(found.Problem, "The video was removed for a violation of rules.")
		processing["errors"] = []map[string]any{{"code": 1363026, "message": message}}
	case found.Post == "":
		state, uploading["status"] = "upload_complete", "complete"
	case reviewed && end == stage.ReviewDraft:
		state, uploading["status"], processing["status"], publishing["status"] = "ready", "complete", "complete", "complete"
		publishing["publish_status"] = "draft"
	case reviewed && end == stage.ReviewNever, !reviewed && !a.objects.processed(found):
		state, uploading["status"], processing["status"] = "processing", "complete", "in_progress"
		publishing["status"] = "in_progress"
	default:
		state, uploading["status"], processing["status"], publishing["status"] = "ready", "complete", "complete", "complete"
		publishing["publish_status"], publishing["publish_time"] = "published", metaTime(found.PostedAt)
	}
	return map[string]any{
		"video_status": state, "uploading_phase": uploading, "processing_phase": processing, "publishing_phase": publishing,
	}
}
