package linkedin

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Waits between checks of LinkedIn's processing. A video usually takes less than two minutes.
const (
	imageCheck    = time.Second
	documentCheck = 2 * time.Second
	videoCheck    = 5 * time.Second
)

// The states of an asset.
const (
	stateWaiting = "WAITING_UPLOAD"
	stateReady   = "AVAILABLE"
	stateFailed  = "PROCESSING_FAILED"
)

// Bounds of what LinkedIn returns about an upload.
const (
	mostParts     = 2000 // a video of 500 MB has 120 parts of 4 MB
	longestURL    = 8 << 10
	longestETag   = 4 << 10
	longestReason = 200
)

var (
	errKind  = errors.New("the network has no such kind of media")
	errParts = errors.New("the parts of the upload are not the file")
	errHost  = errors.New("the address of the upload has another host")
)

// initializeBody is the request to create an asset. A video has more members than an image or a document.
type initializeBody struct {
	Request initialize `json:"initializeUploadRequest"`
}

type initialize struct {
	Owner     string `json:"owner"`
	Size      int64  `json:"fileSizeBytes,omitempty"`
	Captions  *bool  `json:"uploadCaptions,omitempty"`
	Thumbnail *bool  `json:"uploadThumbnail,omitempty"`
}

type initialized struct {
	Value struct {
		UploadURL    string `json:"uploadUrl"`
		Image        string `json:"image"`
		Document     string `json:"document"`
		Video        string `json:"video"`
		Token        string `json:"uploadToken"`
		Instructions []struct {
			UploadURL string `json:"uploadUrl"`
			First     int64  `json:"firstByte"`
			Last      int64  `json:"lastByte"`
		} `json:"uploadInstructions"`
	} `json:"value"`
}

// initialize creates an asset of the author. LinkedIn divides a video into parts; an image or a document is one part,
// because a second request to its address replaces the first.
func (w *work) initialize(ctx context.Context, i int, file platform.File) error {
	u := &w.session.Uploads[i]
	if u.Kind == "" {
		return w.mediaFailure(i, errKind)
	}
	body := initializeBody{Request: initialize{Owner: w.author}}
	if u.Kind == videos {
		body.Request.Size, body.Request.Captions, body.Request.Thumbnail = file.Size(), new(bool), new(bool)
	}
	response, err := w.mediaCall(ctx, i, httpcall.Request{
		Operation: "initialize", Method: http.MethodPost, Path: []string{"rest", string(u.Kind)},
		Query: url.Values{"action": {"initializeUpload"}}, Header: w.header(w.account), JSON: body,
	})
	if err != nil {
		return err
	}
	var result initialized
	if response.Decode(&result) != nil {
		return w.client.Unclear(response, "no upload in the response")
	}
	urn, parts := result.asset(u.Kind, file.Size())
	if !assetURN.MatchString(urn) || len(parts) > mostParts || !covers(parts, file.Size()) {
		return w.client.Unavailable(response.Cause(errParts.Error()))
	}
	for _, p := range parts {
		if !w.mayUploadTo(p.URL) {
			return w.client.Unavailable(errHost)
		}
	}
	u.URN, u.Stage, u.Size, u.Parts, u.Token = urn, stageSending, file.Size(), parts, result.Value.Token
	u.Begun = w.client.Now().Unix()
	return nil
}

// asset returns the URN and the parts of a created asset.
func (a initialized) asset(kind kindOf, size int64) (string, []part) {
	v := a.Value
	whole := []part{{URL: v.UploadURL, Last: size - 1}}
	switch kind {
	case images:
		return v.Image, whole
	case documents:
		return v.Document, whole
	case videos:
		parts := make([]part, len(v.Instructions))
		for n, p := range v.Instructions {
			parts[n] = part{URL: p.UploadURL, First: p.First, Last: p.Last}
		}
		return v.Video, parts
	default:
		return "", nil
	}
}

// mayUploadTo reports whether the address belongs to LinkedIn: by https to linkedin.com or licdn.com. A network that
// replaces LinkedIn has all its addresses on the host of its API.
func (c *Connector) mayUploadTo(address string) bool {
	to, err := url.Parse(address)
	if err != nil || len(address) > longestURL || to.User != nil || to.Fragment != "" {
		return false
	}
	if base, _ := url.Parse(c.client.BaseURL()); c.client.BaseURL() != OfficialAPI {
		return to.Scheme == base.Scheme && to.Host == base.Host
	}
	host := "." + strings.ToLower(to.Hostname())
	return to.Scheme == "https" && (to.Port() == "" || to.Port() == "443") &&
		(strings.HasSuffix(host, ".linkedin.com") || strings.HasSuffix(host, ".licdn.com"))
}

// put sends a part of the file. The addresses of a video's parts are signed and get no token. If LinkedIn already has
// the part, it is overwritten with the same bytes.
func (w *work) put(ctx context.Context, i, n int, file platform.File) error {
	u := &w.session.Uploads[i]
	p := &u.Parts[n]
	header, contentType := http.Header{}, "application/octet-stream"
	if u.Kind != videos {
		header.Set("Authorization", "Bearer "+w.account.Credentials.AccessToken)
		contentType = file.ContentType()
	}
	size := p.Last - p.First + 1
	response, err := w.client.Call(ctx, httpcall.Request{
		Operation: "upload", Method: http.MethodPut, Address: p.URL, Header: header,
		Secrets: []string{w.account.Credentials.AccessToken},
		Body: &httpcall.Body{Size: size, ContentType: contentType, Reader: func() (io.ReadCloser, error) {
			return io.NopCloser(io.NewSectionReader(file, p.First, size)), nil
		}},
	})
	if err != nil {
		return err
	}
	if !response.OK() {
		return w.notTaken(i, response)
	}
	etag := response.Header.Get("Etag")
	if u.Kind == videos && (etag == "" || len(etag) > longestETag) {
		return w.client.Unclear(response, "no entity tag in the response")
	}
	p.Sent, p.URL = true, ""
	if u.Kind == videos {
		p.ETag = etag
	}
	return nil
}

// notTaken classifies an error response to a part. The address of a part is signed and ends, so a refusal says nothing
// about the connection: another upload may succeed.
func (w *work) notTaken(i int, response httpcall.Response) *platform.Failure {
	switch status := response.Status; {
	case status == http.StatusUnauthorized, status == http.StatusTooManyRequests:
		return w.failure(w.account, response)
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError && status != http.StatusRequestTimeout:
		return httpcall.Gone(w.mediaFailure(i, response.Cause("refused")))
	default:
		return w.client.Unavailable(response.Cause("refused"))
	}
}

type finalizeBody struct {
	Request struct {
		Video string   `json:"video"`
		Token string   `json:"uploadToken"`
		Parts []string `json:"uploadedPartIds"`
	} `json:"finalizeUploadRequest"`
}

// finalize completes a video. An earlier call may have completed it already: if LinkedIn refuses to finalize it, its
// state decides.
func (w *work) finalize(ctx context.Context, i int) error {
	u := &w.session.Uploads[i]
	var body finalizeBody
	body.Request.Video, body.Request.Token = u.URN, u.Token
	for _, p := range u.Parts {
		body.Request.Parts = append(body.Request.Parts, p.ETag)
	}
	_, err := w.mediaCall(ctx, i, httpcall.Request{
		Operation: "finalize", Method: http.MethodPost, Path: []string{"rest", string(videos)},
		Query: url.Values{"action": {"finalizeUpload"}}, Header: w.header(w.account), JSON: body,
	})
	if !httpcall.Refused(err) {
		return err
	}
	state, readErr := w.state(ctx, i)
	if readErr == nil && state.Status != "" && state.Status != stateWaiting {
		return nil
	}
	return err
}

// assetState is LinkedIn's report on an asset.
type assetState struct {
	Status string `json:"status"`
	Reason string `json:"processingFailureReason"`
}

// errUnreadable reports that LinkedIn does not show the asset's state to this connection.
var errUnreadable = errors.New("the network does not show the state of the media")

// state reads the state of an asset.
func (w *work) state(ctx context.Context, i int) (assetState, error) {
	u := w.session.Uploads[i]
	response, err := w.client.Call(ctx, httpcall.Request{
		Operation: "status", Method: http.MethodGet, Path: []string{"rest", string(u.Kind), u.URN}, PathKeys: true,
		Header: w.header(w.account), Secrets: []string{w.account.Credentials.AccessToken},
	})
	switch {
	case err != nil:
		return assetState{}, err
	case response.Status == http.StatusForbidden:
		return assetState{}, errUnreadable
	case response.Status == http.StatusNotFound:
		return assetState{}, httpcall.Gone(w.mediaFailure(i, response.Cause("not found")))
	case !response.OK():
		return assetState{}, w.mediaRefusal(ctx, i, response)
	}
	var state assetState
	if response.Decode(&state) != nil {
		return assetState{}, w.client.Unclear(response, "no state in the response")
	}
	return state, nil
}

// status reads LinkedIn's processing state of a file, and returns the wait before the next check. An asset may be
// unknown for a moment after its upload.
func (w *work) status(ctx context.Context, i int) (time.Duration, error) {
	u := &w.session.Uploads[i]
	state, err := w.state(ctx, i)
	switch {
	case errors.Is(err, errUnreadable):
		return w.hidden(u), nil
	case errors.Is(err, httpcall.ErrGone) && w.graceLeft(*u) > 0:
		return u.Kind.check(), nil
	case err != nil:
		return 0, err
	}
	switch state.Status {
	case stateReady:
		u.Stage = stageReady
		return 0, nil
	case stateFailed:
		return 0, w.mediaFailure(i, errors.New("processing failed: "+httpcall.Text(state.Reason, longestReason)))
	default: // being processed, or an unknown state: check again later
		return u.Kind.check(), nil
	}
}

// check returns the wait between two checks of an asset.
func (k kindOf) check() time.Duration {
	switch k {
	case images:
		return imageCheck
	case documents:
		return documentCheck
	case videos:
		return videoCheck
	default:
		return videoCheck
	}
}

// mediaCall makes one call about an attachment, and classifies an error response.
func (w *work) mediaCall(ctx context.Context, i int, request httpcall.Request) (httpcall.Response, error) {
	request.Secrets = []string{w.account.Credentials.AccessToken}
	response, err := w.client.Call(ctx, request)
	if err != nil {
		return httpcall.Response{}, err
	}
	if !response.OK() {
		return httpcall.Response{}, w.mediaRefusal(ctx, i, response)
	}
	return response, nil
}

// mediaRefusal classifies an error response to a call about an attachment.
func (w *work) mediaRefusal(ctx context.Context, i int, response httpcall.Response) *platform.Failure {
	p, _ := problemOf(response)
	exists := w.session.Uploads[i].Stage != stageNew
	if p.has("EXPIRED_UPLOAD_URL") || exists && response.Status == http.StatusNotFound {
		return httpcall.Gone(w.mediaFailure(i, response.Cause("gone")))
	}
	failure := w.refused(ctx, w.account, w.author, response)
	if w.lacksRole(i, response, p, failure) {
		return w.client.Fail(platform.ClassUser, CodeRole, failure.Cause,
			"LinkedIn takes videos for a page only from its super admins and sponsored content posters; a content admin may "+
				"publish texts, photos and documents. Ask an administrator of the page for the role, then publish the post again.")
	}
	switch failure.Class {
	case platform.ClassRejected:
		return w.mediaFailure(i, response.Cause("refused"))
	case platform.ClassUnknown: // nothing is published before the post itself
		return w.client.Unavailable(response.Cause("refused"))
	case platform.ClassTransient, platform.ClassRateLimited, platform.ClassRefresh, platform.ClassReconnect,
		platform.ClassUser, platform.ClassOperator:
	}
	return failure
}

// lacksRole reports that LinkedIn refused a page's video although it accepts the connection: the member's role at the
// page does not allow videos. LinkedIn uses the words of other refusals for it, which pass.
func (w *work) lacksRole(i int, response httpcall.Response, p problem, failure *platform.Failure) bool {
	if !w.kind.listed || w.session.Uploads[i].Kind != videos || response.Status != http.StatusForbidden {
		return false
	}
	return failure.Code == CodeForbidden && p.Status != 0 || failure.Code == CodeConflict ||
		failure.Class == platform.ClassReconnect && strings.Contains(failure.Message, w.kind.postScope)
}

// mediaFailure returns the failure for LinkedIn's refusal of an attachment.
func (c *Connector) mediaFailure(i int, cause error) *platform.Failure {
	return c.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
		"LinkedIn could not use attachment %d. Replace it, or convert it to a JPEG image, a PDF document or an MP4 video, "+
			"then publish the post again.", i+1)
}
