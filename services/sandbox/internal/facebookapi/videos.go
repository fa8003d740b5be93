package facebookapi

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/media"
)

// Id of an upload session.
const (
	sessionPrefix = "upload:"
	signature     = "sig=ARZsandbox" // follows as a query
)

// inPhases starts or publishes a reel or a story.
func (a *api) inPhases(kind string) func(stage.Request) stage.Response {
	return func(r stage.Request) stage.Response {
		switch r.Values.Get("upload_phase") {
		case "start":
			return a.start(r, kind)
		case "finish":
			defer a.posting.Lock(r.Account)()
			return a.finish(r, kind)
		default:
			return a.Invalid("(#100) Param upload_phase must be one of {START, FINISH}")
		}
	}
}

// start creates a video without bytes.
func (a *api) start(r stage.Request, kind string) stage.Response {
	video, err := a.Create(metaapi.Container{Account: r.Account, Kind: kind})
	return a.After(err, stage.OK(map[string]string{
		"video_id":   video.ID,
		"upload_url": a.Stage.Base(r.Request) + "/facebook/rupload/video-upload/" + r.PathValue("version") + "/" + video.ID,
	}))
}

// finish publishes a video whose bytes are complete.
func (a *api) finish(r stage.Request, kind string) stage.Response {
	video, ok := a.object(r.Account, r.Values.Get("video_id"))
	reel := kind == kindReel
	bad := stage.If(!ok || video.Kind != kind, a.Invalid("(#100) Invalid video id")).
		Or(video.EndedAt.IsZero(), a.Error(6000, 1363130, "There was a problem uploading your video file: the upload is not "+
			"complete.")).
		Or(video.Post != "", a.Invalid("(#100) The video is published already")).
		Or(reel && r.Values.Get("video_state") != "PUBLISHED",
			a.Invalid("(#100) Param video_state: the sandbox accepts only PUBLISHED")).
		Or(!captioned(r), a.Invalid("(#100) Param description or title is too long")).
		Or(reel && a.Stage.Strict() && a.reels(r.Account) >= reelsPerDay,
			a.Error(9, 0, "(#9) The Page has published the most reels of a day through the API"))
	if bad.Broken {
		return bad.Fault
	}
	text, body := r.Values.Get("description"), stage.Object{"success": true}
	if !reel {
		text, body["post_id"] = "", storyID(video.ID)
	}
	return a.After(a.publishFile(r, video, text), stage.OK(body))
}

// publishFile publishes a video whose file Facebook can process.
func (a *api) publishFile(r stage.Request, video metaapi.Container, text string) error {
	if video.Problem != "" {
		return nil
	}
	draft := ledger.Draft{Text: text, Media: video.Media, Origin: video.ID, OneOrigin: true, ID: video.ID}
	_, err := a.publish(r, draft, video)
	return err
}

// captioned reports whether the texts of a video are short enough.
func captioned(r stage.Request) bool {
	return figures.Characters(r.Values.Get("description")) <= textLimit &&
		figures.Characters(r.Values.Get("title")) <= titleLimit
}

// reels returns the number of the account's reels of the last day.
func (a *api) reels(account string) int {
	reels := 0
	for _, post := range a.Stage.Ledger.List(a.Recent(account)) {
		if a.Kind(post) == kindReel {
			reels++
		}
	}
	return reels
}

// publishVideo publishes a video in the feed, made from an uploaded file.
func (a *api) publishVideo(r stage.Request) stage.Response {
	files := a.Containers.List(func(file metaapi.Container) bool {
		return file.Kind == kindFile && !file.EndedAt.IsZero() && a.Fresh(file) &&
			handle(file) == r.Values.Get("fbuploader_video_file_chunk")
	})
	bad := stage.If(len(files) == 0, a.Invalid("(#100) Param fbuploader_video_file_chunk is not a valid upload handle")).
		Or(r.Values.Get("published") == "false",
			a.Invalid("(#100) Param published: the sandbox keeps no unpublished videos")).
		Or(!captioned(r), a.Invalid("(#100) Param description or title is too long"))
	if bad.Broken {
		return bad.Fault
	}
	video := files[0]
	video.Account, video.Kind, video.Media = r.Account, kindVideo, slices.Clone(video.Media)
	video.Media[0].ID = ""
	video, err := a.Create(video)
	err = errors.Join(err, a.publishFile(r, video, r.Values.Get("description")))
	return a.After(err, stage.OK(map[string]string{"id": video.ID}))
}

// handle returns the text that identifies an uploaded file. It has a line for each mebibyte.
func handle(of metaapi.Container) string {
	const line = 1 << 20
	sum := ""
	for _, file := range of.Media {
		sum = file.SHA256
	}
	var lines []string
	for from := int64(0); from == 0 || from < of.Total; from += line {
		lines = append(lines, fmt.Sprintf("4:ZmlsbS5tcDQ=:dmlkZW8vbXA0:%s:e:%s:%d", sum, of.ID, from))
	}
	return strings.Join(lines, "\n")
}

// application returns the application of a token, which is ID|SECRET or that of a person.
func (a *api) application(text string, _ ...string) (token.Grant, error) {
	if grant, err := a.Stage.Tokens.Access(network, text); err == nil && grant.Role == metaapi.RoleUser {
		return token.Grant{Account: grant.App}, nil
	}
	app, secret, _ := strings.Cut(text, "|")
	return token.Grant{Account: app}, stage.If(app == "" || secret == "", token.ErrInvalid).Fault
}

// announce starts an upload session of the application.
func (a *api) announce(r stage.Request) stage.Response {
	total, kind := number(r, "file_length"), r.Values.Get("file_type")
	bad := stage.If(r.Grant.Account != r.PathValue("app"), a.NotFound()).
		Or(total < 1 || total > videoLimit || r.Values.Get("file_name") == "",
			a.Invalid("(#100) Param file_length or file_name is not valid")).
		Or(kind != media.ContentTypeMP4, a.Invalid("(#100) Param file_type must be one of {video/mp4}"))
	if bad.Broken {
		return bad.Fault
	}
	file, err := a.Create(metaapi.Container{Account: r.Grant.Account, Kind: kindFile, Total: total})
	return a.After(err, stage.OK(map[string]string{"id": sessionPrefix + file.ID + "?" + signature}))
}

// session returns the upload session of a path, which belongs to the application.
func (a *api) session(r stage.Request) (metaapi.Container, stage.Check) {
	id, ok := strings.CutPrefix(r.PathValue("id"), sessionPrefix)
	file, known := a.object(r.Grant.Account, id)
	return file, stage.If(!ok || !known || file.Kind != kindFile || r.URL.RawQuery != signature, a.NotFound())
}

// readSession reports how many bytes of a session arrived.
func (a *api) readSession(r stage.Request) stage.Response {
	file, bad := a.session(r)
	return bad.Else(stage.OK(stage.Object{"id": sessionPrefix + file.ID, "file_offset": a.received(file)}))
}

// unsent returns the reel or the story of a path on the upload host.
func (a *api) unsent(r stage.Request) (metaapi.Container, stage.Check) {
	video, known := a.object(r.Account, r.PathValue("id"))
	total, err := strconv.ParseInt(r.Header.Get("File_size"), 10, 64)
	video.Total = total
	return video, stage.If(!strings.HasPrefix(r.Header.Get("Authorization"), "OAuth "), a.Refuse(r, nil)).
		Or(!known || video.Kind != kindReel && video.Kind != kindStory || err != nil || total < 1 || total > videoLimit,
			uploadError("InvalidParameterError", "The video or its file_size is not valid", false))
}

// transfer receives the bytes of an object, from the offset in the header.
func (a *api) transfer(
	s *stage.Service, scopes, offset string, find func(stage.Request) (metaapi.Container, stage.Check),
	body func(metaapi.Container) any,
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		request, refusal := s.Admit(r, nil, scopes)
		if refusal != nil {
			refusal.Write(w)
			return
		}
		of, bad := find(request)
		if bad.Broken {
			bad.Fault.Write(w)
			return
		}
		a.receive(w, request, of, r.Header.Get(offset), body)
	}
}

// received returns the number of the object's bytes so far.
func (a *api) received(of metaapi.Container) int64 {
	if !of.EndedAt.IsZero() {
		return of.Total
	}
	return a.Size(of.ID)
}

// receive receives the rest of an object's bytes, from the offset that the client names. Bytes that arrived before the
// connection broke are kept.
func (a *api) receive(
	w http.ResponseWriter, r stage.Request, of metaapi.Container, offset string, body func(metaapi.Container) any,
) {
	release, ok := a.receiving.Try(of.ID)
	if !ok {
		uploadError("ConcurrentRequestError", "Another request sends the file", true).Write(w)
		return
	}
	defer release()
	from, err := strconv.ParseInt(offset, 10, 64)
	if err != nil || from != a.received(of) || !of.EndedAt.IsZero() {
		_, _ = io.Copy(io.Discard, r.Request.Body)
		uploadError("OffsetInvalidError", "Request starting offset is invalid", false).Write(w)
		return
	}
	err = a.Write(of.ID, from, of.Total-from, r.Request.Body)
	if err != nil && !errors.Is(err, mediastore.ErrLength) {
		return // the client is gone
	}
	complete := false
	a.Perform(w, r, stage.StepUpload, func() stage.Response {
		if err != nil {
			return uploadError("PartialRequestError", "Partial request (did not match length of file)", false)
		}
		complete = true
		err = a.complete(r, &of)
		return a.After(err, stage.OK(body(of)))
	})
	if !complete {
		a.Cut(of.ID, from)
	}
}

// complete checks the bytes of an object that is complete. Facebook reports a bad file only when it processes it.
func (a *api) complete(r stage.Request, of *metaapi.Container) error {
	item, usable, err := a.Uploads.Check(r.Context(), a.Stage.Media, of.ID, of.Total, videoLimit, string(media.Video))
	if err != nil {
		return err
	}
	if !usable {
		of.Problem = "The video file you selected is in a format that we don't support."
	}
	of.Media, of.EndedAt = []ledger.Media{item.Media(of.ID, "")}, a.Stage.Clock.Now()
	return errors.Join(a.Keep(*of), a.Drop(of.ID)) // the bytes are in the media store
}

// uploadError is the error shape of the upload host.
func uploadError(kind, message string, retriable bool) stage.Response {
	return stage.Refuse(http.StatusBadRequest, stage.Object{
		"debug_info": stage.Object{"retriable": retriable, "type": kind, "message": message},
	})
}

// readObject returns the requested fields of a photo or a video.
func (a *api) readObject(r stage.Request, found metaapi.Container) stage.Response {
	all := stage.Object{"id": found.ID, "created_time": metaapi.Time(found.CreatedAt)}
	if found.Kind == kindPhoto {
		if all["alt_text_custom"] = found.Media[0].AltText; found.Post != "" {
			all["page_story_id"] = found.Post
		}
		return a.Show(r, metaapi.NewNode(photoNode), all, "id")
	}
	all["published"], all["description"] = found.Post != "", found.Text
	all["permalink_url"], all["status"] = "/reel/"+found.ID+"/", a.status(found)
	if found.Post != "" && found.Kind != kindStory {
		all["post_id"] = r.Account + "_" + found.ID
	}
	return a.Show(r, metaapi.NewNode(videoNode), all, "id")
}

// status returns the state of a video with its phases.
func (a *api) status(video metaapi.Container) stage.Object {
	const complete = "complete"
	uploading := stage.Object{"status": complete, "bytes_transferred": a.received(video)}
	processing, publishing := stage.Object{"status": complete}, stage.Object{"status": complete}
	state := "ready"
	end, reviewed := a.Stage.Reviewed(network, video.Account, video.PostedAt)
	switch {
	case video.EndedAt.IsZero():
		state, uploading["status"], processing["status"], publishing["status"] = "uploading", "in_progress", "not_started",
			"not_started"
	case video.Problem != "", reviewed && end == stage.ReviewRefused:
		message := cmp.Or(video.Problem, "The video was removed for a violation of rules.")
		state, processing["status"], publishing["status"] = "error", "error", "not_started"
		processing["errors"] = []stage.Object{{"code": 1363026, "message": message}}
	case video.Post == "":
		state, processing["status"], publishing["status"] = "upload_complete", "not_started", "not_started"
	case reviewed && end == stage.ReviewDraft:
		publishing["publish_status"] = "draft"
	case reviewed && end == stage.ReviewNever, !reviewed && !a.Processed(video, video.PostedAt):
		state, processing["status"], publishing["status"] = "processing", "in_progress", "in_progress"
	default:
		publishing["publish_status"], publishing["publish_time"] = "published", metaapi.Time(video.PostedAt)
	}
	return stage.Object{
		"video_status": state, "uploading_phase": uploading, "processing_phase": processing, "publishing_phase": publishing,
	}
}
