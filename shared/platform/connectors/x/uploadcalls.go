package x

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// uploadLife is the lifetime of an upload if X's response does not contain a shorter one.
const uploadLife = 24 * time.Hour

// The states of X's processing of a file. A response without one means that there is no processing to wait for.
const (
	processingPending = "pending"
	processingRunning = "in_progress"
	processingDone    = "succeeded"
	processingFailed  = "failed"
)

type initializeBody struct {
	MediaType     string `json:"media_type"`
	TotalBytes    int64  `json:"total_bytes"`
	MediaCategory string `json:"media_category"`
}

type mediaResponse struct {
	Data struct {
		ID             string      `json:"id"`
		ExpiresAfter   int64       `json:"expires_after_secs"`
		ProcessingInfo *processing `json:"processing_info"`
	} `json:"data"`
}

type processing struct {
	State      string  `json:"state"`
	CheckAfter float64 `json:"check_after_secs"`
	Error      struct {
		Name    string `json:"name"`
		Message string `json:"message"`
	} `json:"error"`
}

// initialize creates an upload.
func (w *work) initialize(ctx context.Context, i int, asset media.Asset, file platform.File) error {
	kind, ok := category(asset)
	if !ok {
		return w.mediaFailure(i, errCategory)
	}
	if segmentsOf(file.Size(), w.config.SegmentSize) > mostSegments {
		return w.mediaFailure(i, errSegments)
	}
	response, err := w.mediaCall(ctx, i, httpcall.Request{
		Operation: "initialize", Method: http.MethodPost, Path: []string{"2", "media", "upload", "initialize"},
		JSON: initializeBody{MediaType: file.ContentType(), TotalBytes: file.Size(), MediaCategory: kind},
	})
	if err != nil {
		return err
	}
	var result mediaResponse
	if err := response.Decode(&result); err != nil || !postID.MatchString(result.Data.ID) {
		return w.client.Unclear(response, "no media id in the response")
	}
	life := uploadLife
	if after := result.Data.ExpiresAfter; after > 0 && after < int64(uploadLife/time.Second) {
		life = time.Duration(after) * time.Second
	}
	u := &w.session.Uploads[i]
	u.ID, u.Stage, u.Next, u.Size, u.Segment = result.Data.ID, stageSending, 0, file.Size(), w.config.SegmentSize
	u.Expires = w.client.Now().Add(life).Unix()
	return nil
}

// append sends the next segment. If X already has the segment, it is overwritten with the same bytes.
func (w *work) append(ctx context.Context, i int, file platform.File) error {
	u := w.session.Uploads[i]
	from := int64(u.Next) * u.segment()
	size := min(u.segment(), u.Size-from)
	_, err := w.mediaCall(ctx, i, httpcall.Request{
		Operation: "append", Method: http.MethodPost, Path: []string{"2", "media", "upload", u.ID, "append"},
		Multipart: &httpcall.Multipart{
			Fields: [][2]string{{"segment_index", strconv.Itoa(u.Next)}},
			Files: []httpcall.Part{{
				Field: "media", FileName: file.Name(), Size: size,
				Open: func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, from, size)), nil },
			}},
		},
	})
	return err
}

// finalize completes an upload and records X's report on the processing. An earlier call may have completed the upload
// already: if X refuses to finalize it, its processing status decides.
func (w *work) finalize(ctx context.Context, i int) error {
	u := &w.session.Uploads[i]
	response, err := w.mediaCall(ctx, i, httpcall.Request{
		Operation: "finalize", Method: http.MethodPost, Path: []string{"2", "media", "upload", u.ID, "finalize"},
	})
	if httpcall.Refused(err) && w.resumed {
		ended, statusErr := w.askStatus(ctx, i)
		if statusErr != nil || ended.Data.ProcessingInfo == nil {
			return err
		}
		w.waits[i], err = w.take(i, ended)
		return err
	}
	if err != nil {
		return err
	}
	var result mediaResponse
	if err := response.Decode(&result); err != nil || result.Data.ID != u.ID {
		return w.client.Unclear(response, "no upload in the response")
	}
	w.waits[i], err = w.take(i, result)
	return err
}

// status reads X's processing status of a file, and returns the wait before the next check.
func (w *work) status(ctx context.Context, i int) (time.Duration, error) {
	response, err := w.askStatus(ctx, i)
	if err != nil {
		if httpcall.Refused(err) {
			return 0, w.uploadGone(i, err)
		}
		return 0, err
	}
	return w.take(i, response)
}

func (w *work) askStatus(ctx context.Context, i int) (mediaResponse, error) {
	id := w.session.Uploads[i].ID
	response, err := w.mediaCall(ctx, i, httpcall.Request{
		Operation: "status", Path: []string{"2", "media", "upload"},
		Query: url.Values{"command": {"STATUS"}, "media_id": {id}},
	})
	if err != nil {
		return mediaResponse{}, err
	}
	var result mediaResponse
	if err := response.Decode(&result); err != nil || result.Data.ID != id {
		return mediaResponse{}, w.client.Unclear(response, "no upload in the response")
	}
	return result, nil
}

// take records X's processing status of a file.
func (w *work) take(i int, response mediaResponse) (time.Duration, error) {
	u, info := &w.session.Uploads[i], response.Data.ProcessingInfo
	if info == nil || info.State == processingDone {
		u.Stage = stageReady
		return 0, nil
	}
	switch info.State {
	case processingFailed:
		cause := processingError{name: info.Error.Name, message: info.Error.Message}
		if cause.internal() {
			return 0, w.uploadGone(i, cause)
		}
		return 0, w.mediaFailure(i, cause)
	case processingPending, processingRunning:
	default: // an unknown state: check again later
	}
	u.Stage = stageProcessing
	seconds := min(max(info.CheckAfter, shortestCheck.Seconds()), longestCheck.Seconds())
	return time.Duration(seconds * float64(time.Second)), nil
}

// describe sends the alternative text of an image or an animation that X has processed. X has none for videos.
func (w *work) describe(ctx context.Context, i int) error {
	u, asset := &w.session.Uploads[i], w.content.Media[i]
	if asset.AltText == "" || asset.Type == media.Video || u.Stage != stageReady || u.Described {
		return nil
	}
	var body metadataBody
	body.ID, body.Metadata.AltText.Text = u.ID, asset.AltText
	_, err := w.mediaCall(ctx, i, httpcall.Request{
		Operation: "describe", Method: http.MethodPost, Path: []string{"2", "media", "metadata"}, JSON: body,
	})
	u.Described = err == nil
	return err
}

// metadataBody is the request that describes an upload.
type metadataBody struct {
	ID       string `json:"id"`
	Metadata struct {
		AltText struct {
			Text string `json:"text"`
		} `json:"alt_text"`
	} `json:"metadata"`
}

// processingError is X's report on a file that it could not process.
type processingError struct{ name, message string }

// Error returns the text for the log.
func (e processingError) Error() string {
	const longest = 200
	return "processing failed: " + httpcall.Text(e.name+": "+e.message, longest)
}

// internal reports whether the error is X's own, or has no name: the API description of X has no error in the
// processing information. A second upload may then succeed.
func (e processingError) internal() bool {
	return e.name == "" || strings.Contains(strings.ToLower(e.name), "internal")
}

// mediaCall makes one call about an attachment, and classifies an error response.
func (w *work) mediaCall(ctx context.Context, i int, request httpcall.Request) (httpcall.Response, error) {
	request.Header = bearer(w.account)
	request.Secrets = []string{w.account.Credentials.AccessToken}
	response, err := w.client.Call(ctx, request)
	if err != nil {
		return httpcall.Response{}, err
	}
	if response.OK() {
		return response, nil
	}
	failure := w.failure(response)
	switch {
	case failure.Code == CodeNotAllowed: // of the account, not of the file
		return httpcall.Response{}, failure
	case response.Status == http.StatusNotFound, response.Status == http.StatusGone, failure.Class == platform.ClassRejected:
		return httpcall.Response{}, w.mediaFailure(i, response.Cause("refused"))
	case failure.Class == platform.ClassUnknown: // nothing is published before the post itself
		return httpcall.Response{}, w.client.Unavailable(response.Cause("refused"))
	default:
		return httpcall.Response{}, failure
	}
}

// mediaFailure returns the failure for X's refusal of an attachment.
func (w *work) mediaFailure(i int, cause error) *platform.Failure {
	return w.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
		"X could not use attachment %d. Replace it, or convert it to a JPEG image or an MP4 video, then publish the "+
			"post again.", i+1)
}

// uploadGone returns the failure for a refusal of an attachment after which another upload may succeed.
func (w *work) uploadGone(i int, cause error) *platform.Failure {
	return httpcall.Gone(w.mediaFailure(i, cause))
}
