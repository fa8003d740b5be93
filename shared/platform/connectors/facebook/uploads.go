package facebook

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// pointAmidTransfer is the fail point in the middle of the transfer of a video.
const pointAmidTransfer = "publish.amid_transfer"

// The edges of a Page that publish videos in phases.
const (
	edgeReels   = "video_reels"
	edgeStories = "video_stories"
)

// edge returns the edge of the form's videos.
func (f form) edge() string {
	if f == formVideoStory {
		return edgeStories
	}
	return edgeReels
}

// photo uploads an unpublished photo, with its alternative text.
func (w *work) photo(ctx context.Context, i int) error {
	asset := w.content.Media[i]
	file, err := w.content.Files.Open(ctx, asset)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	fields := [][2]string{{"published", "false"}}
	if asset.AltText != "" {
		fields = append(fields, [2]string{"alt_text_custom", asset.AltText})
	}
	response, err := w.mediaCall(ctx, w.client, i, httpcall.Request{
		Operation: "upload", Method: http.MethodPost, Path: []string{w.version, w.account.ExternalID, "photos"},
		Multipart: &httpcall.Multipart{Fields: fields, Files: []httpcall.Part{{
			Field: "source", FileName: file.Name(), ContentType: file.ContentType(), Size: file.Size(),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, 0, file.Size())), nil },
		}}},
	})
	if err != nil {
		return err
	}
	var result created
	if err := response.Decode(&result); err != nil || !objectPattern.MatchString(result.ID) {
		return w.client.Unclear(response, "no photo in the response")
	}
	w.created(i, result.ID, 0, stageReady)
	return nil
}

// created records that Facebook has created the upload.
func (w *work) created(i int, id string, size int64, at stage) {
	u := &w.session.Uploads[i]
	u.ID, u.Size, u.Stage, u.File = id, size, at, ""
	u.Expires = w.client.Now().Add(uploadLife).Unix()
}

// announceVideo creates the reel or the story, which is a draft without bytes.
func (w *work) announceVideo(ctx context.Context, i int) error {
	response, err := w.mediaCall(ctx, w.client, i, httpcall.Request{
		Operation: "start", Method: http.MethodPost,
		Path:  []string{w.version, w.account.ExternalID, w.session.Form.edge()},
		Query: url.Values{"upload_phase": {"start"}},
	})
	if err != nil {
		return err
	}
	var created struct {
		ID string `json:"video_id"`
	}
	if err := response.Decode(&created); err != nil || !objectPattern.MatchString(created.ID) {
		return w.client.Unclear(response, "no video in the response")
	}
	w.created(i, created.ID, w.content.Media[i].Size, stageSending)
	return nil
}

// sendVideo sends the bytes of the reel or the story that Facebook does not have yet, and reads whether it has accepted
// them.
func (w *work) sendVideo(ctx context.Context, i int) (time.Duration, error) {
	u := &w.session.Uploads[i]
	state, err := w.lookAt(ctx, u.ID)
	if err != nil {
		return 0, err
	}
	if u.Stage == stageSending && !state.uploaded() {
		if err := w.transferVideo(ctx, i, state.Status.Uploading.Bytes); err != nil {
			return 0, err
		}
		u.Stage = stageProcessing
		if state, err = w.lookAt(ctx, u.ID); err != nil {
			return 0, err
		}
	}
	if !state.uploaded() {
		return checkAfter, nil
	}
	u.Stage = stageReady
	return 0, nil
}

// lookAt reads the state of a video that is not published yet. A failed one matches httpcall.ErrGone.
func (w *work) lookAt(ctx context.Context, id string) (video, error) {
	state, err := w.video(ctx, "status", w.account, id)
	if err == nil && state.failed() {
		err = httpcall.Passing(state.cause())
	}
	return state, err
}

// transferVideo sends the file of a reel or a story to the upload host, from the given byte.
func (w *work) transferVideo(ctx context.Context, i int, from int64) error {
	_, err := w.transfer(ctx, i, w.uploads, from, func(size int64) httpcall.Request {
		return httpcall.Request{
			Path:   []string{"video-upload", w.version, w.session.Uploads[i].ID},
			Header: http.Header{"Offset": {decimal(from)}, "File_size": {decimal(size)}},
		}
	})
	return err
}

// file advances the upload of a feed video. Meta documents the token of a person for it
// (developers.facebook.com/docs/graph-api/guides/upload). The token of the application replaces one that is unknown
// or has ended.
func (w *work) file(ctx context.Context, i int) error {
	u := &w.session.Uploads[i]
	next := w.sendFile
	if u.Stage == stageNew {
		next = w.announceFile
	}
	err := next(ctx, i)
	if failure, ok := errors.AsType[*platform.Failure](err); ok && failure.Class == platform.ClassReconnect &&
		w.fileToken(*u) != w.appToken {
		*u = upload{Asset: u.Asset, Again: u.Again, App: true}
		return w.announceFile(ctx, i)
	}
	return err
}

// fileToken returns the token of the upload session.
func (w *work) fileToken(u upload) string {
	if person := w.account.Credentials.UserToken; person != "" && !u.App {
		return person
	}
	return w.appToken
}

// announceFile creates an upload session of the application, whose file a feed video is made from.
func (w *work) announceFile(ctx context.Context, i int) error {
	app, _, ok := strings.Cut(w.appToken, "|")
	if !ok {
		return w.client.Fail(platform.ClassOperator, CodeNoApp, errNoApp,
			"This service cannot publish videos to Facebook that are not reels, because its operator has not configured an "+
				"application of Meta. Use an upright video of 3 to 90 seconds, or ask the operator.")
	}
	file, err := w.content.Files.Open(ctx, w.content.Media[i])
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	response, err := w.mediaCall(ctx, w.client, i, httpcall.Request{
		Operation: "start", Method: http.MethodPost, Path: []string{w.version, app, "uploads"},
		Form: url.Values{
			"file_name": {file.Name()}, "file_length": {decimal(file.Size())}, "file_type": {file.ContentType()},
		},
		Header: authorization(w.fileToken(w.session.Uploads[i])), Secrets: []string{w.fileToken(w.session.Uploads[i])},
	})
	if err != nil {
		return err
	}
	var result created
	if err := response.Decode(&result); err != nil || !uploadPattern.MatchString(result.ID) {
		return w.client.Unclear(response, "no upload session in the response")
	}
	w.created(i, result.ID, file.Size(), stageSending)
	return nil
}

// sendFile sends the bytes of a feed video that Facebook does not have yet. The response to the last byte identifies
// the file.
func (w *work) sendFile(ctx context.Context, i int) error {
	u := &w.session.Uploads[i]
	response, err := w.mediaCall(ctx, w.client, i, w.uploadSession("status", *u))
	if err != nil {
		return err
	}
	var state struct {
		Offset *int64 `json:"file_offset"`
	}
	if err := response.Decode(&state); err != nil || state.Offset == nil {
		return w.client.Unclear(response, "no offset in the response")
	}
	if *state.Offset == u.Size { // the response to the last byte was lost, and no call repeats it
		*u = upload{Asset: u.Asset, Again: u.Again, App: u.App}
		return nil
	}
	response, err = w.transfer(ctx, i, w.client, *state.Offset, func(int64) httpcall.Request {
		send := w.uploadSession("upload", *u)
		send.Header.Set("File_offset", decimal(*state.Offset))
		return send
	})
	if err != nil {
		return err
	}
	var sent struct {
		File string `json:"h"`
	}
	if err := response.Decode(&sent); err != nil || !isFile(strings.TrimSpace(sent.File)) {
		return w.client.Unclear(response, "no file in the response")
	}
	u.Stage, u.File = stageReady, strings.TrimSpace(sent.File)
	return nil
}

// uploadSession returns a call of the upload session.
func (w *work) uploadSession(operation string, u upload) httpcall.Request {
	segment, signature := u.path()
	request := httpcall.Request{
		Operation: operation, Path: []string{w.version, segment}, Header: authorization(w.fileToken(u)),
		Secrets: []string{w.fileToken(u)},
	}
	if signature != "" {
		request.Query = url.Values{"sig": {signature}}
	}
	return request
}

// transfer sends the file from the byte at which Facebook's copy ends. Facebook accepts the rest only as a whole. A copy
// of another size is not continued.
func (w *work) transfer(
	ctx context.Context, i int, client *httpcall.Client, from int64, request func(size int64) httpcall.Request,
) (httpcall.Response, error) {
	file, err := w.content.Files.Open(ctx, w.content.Media[i])
	if err != nil {
		return httpcall.Response{}, err
	}
	defer func() { _ = file.Close() }()
	size := file.Size()
	if from < 0 || from > size || w.session.Form == formVideo && size != w.session.Uploads[i].Size {
		return httpcall.Response{}, httpcall.Passing(errOffset)
	}
	send := request(size)
	send.Operation, send.Method = "upload", http.MethodPost
	send.Body = &httpcall.Body{Size: size - from, Reader: func() (io.ReadCloser, error) {
		return &passage{Reader: io.NewSectionReader(file, from, size-from), ctx: ctx, half: (size - from) / 2}, nil
	}}
	return w.mediaCall(ctx, client, i, send)
}

// passage reads a file and has a fail point at its middle.
type passage struct {
	io.Reader

	ctx  context.Context //nolint:containedctx // Read takes no context
	half int64           // bytes until the fail point
}

// Read reads the file.
func (p *passage) Read(into []byte) (int, error) {
	n, err := p.Reader.Read(into)
	before := p.half
	if p.half -= int64(n); before > 0 && p.half <= 0 {
		if hit := failpoint.Hit(p.ctx, pointAmidTransfer); hit != nil {
			return 0, hit
		}
	}
	return n, err
}

// Close has nothing to close: the file outlives the call.
func (p *passage) Close() error { return nil }

// mediaCall makes one call about an attachment, and classifies an error response. It authenticates with the Page's token
// unless the request has another one.
func (w *work) mediaCall(
	ctx context.Context, client *httpcall.Client, i int, request httpcall.Request,
) (httpcall.Response, error) {
	token := w.account.Credentials.AccessToken
	if request.Header.Get("Authorization") == "" {
		if request.Header == nil {
			request.Header = http.Header{}
		}
		request.Header.Set("Authorization", "OAuth "+token)
	}
	request.Secrets = append(request.Secrets, token)
	response, err := client.Call(ctx, request)
	if err != nil {
		return httpcall.Response{}, err
	}
	if response.OK() {
		return response, nil
	}
	if refused, ended := refusedTransfer(response); refused {
		if ended {
			return httpcall.Response{}, httpcall.Passing(response.Cause("the transfer was refused"))
		}
		return httpcall.Response{}, w.client.Unavailable(response.Cause("the transfer was refused"))
	}
	failure := w.failure(response)
	switch {
	case graph.ErrorOf(response).Missing() && w.session.Uploads[i].Stage != stageNew:
		return httpcall.Response{}, httpcall.Passing(response.Cause("the upload is gone"))
	case graph.ErrorOf(response).Is(subcodePhoto):
		return httpcall.Response{}, w.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, response.Cause("refused"),
			"Facebook could not use photo %d. Use a JPEG, PNG or GIF image of less than 4 MB, then publish the post again.", i+1)
	case failure.Code == CodeRefused, failure.Code == platform.CodeMediaRefused:
		return httpcall.Response{}, w.mediaFailure(i, response.Cause("refused"))
	case failure.Class == platform.ClassUnknown: // nothing is published before the post itself
		return httpcall.Response{}, w.client.Unavailable(response.Cause("refused"))
	default:
		return httpcall.Response{}, failure
	}
}

// refusedTransfer reads the error of the upload host, which is not in the form of the Graph API. It reports whether the
// response is one, and whether the same upload cannot be continued.
func refusedTransfer(response httpcall.Response) (refused, ended bool) {
	var result struct {
		Info *struct {
			Retriable bool   `json:"retriable"`
			Type      string `json:"type"`
		} `json:"debug_info"`
	}
	if response.Decode(&result) != nil || result.Info == nil || response.Status >= http.StatusInternalServerError {
		return false, false
	}
	// A wrong offset is read anew before the next transfer.
	return true, !result.Info.Retriable && result.Info.Type != "OffsetInvalidError"
}

// mediaFailure returns the failure for Facebook's refusal of an attachment.
func (w *work) mediaFailure(i int, cause error) *platform.Failure {
	return w.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
		"Facebook could not use attachment %d. Replace it, or convert it to a JPEG image or an MP4 video, then publish the "+
			"post again.", i+1)
}

// authorization returns the header of a token.
func authorization(token string) http.Header { return http.Header{"Authorization": {"OAuth " + token}} }

func decimal(number int64) string { return strconv.FormatInt(number, 10) }
