package pinterest

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Fail points of an upload.
const (
	pointAfterBegin   = "publish.after_upload_begin"
	pointAfterSegment = "publish.after_segment"
)

// checkAfter is the wait between checks of Pinterest's processing, which usually takes less than two minutes.
const checkAfter = 5 * time.Second

// Bounds of what Pinterest returns about an upload.
const (
	mostFields   = 30
	longestField = 8 << 10
)

var (
	errHost       = errors.New("the address of the upload has another host")
	errParameters = errors.New("not the address and the form of an upload")
)

// Prepare uploads the video of a pin, and waits until Pinterest has processed it. It returns early after it has
// registered the video, so that the form of the upload is stored before the bytes are sent. Images need no preparation,
// because the pin contains them; Prepare only opens them, so that an unreadable file is detected before the irrevocable
// call.
func (c *Connector) Prepare(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Preparation, error) {
	switch {
	case account.Credentials.AccessToken == "":
		return platform.Preparation{}, c.client.Reconnect(errNoToken)
	case len(content.Media) == 0:
		return platform.Preparation{}, c.noMedia()
	case content.Files == nil:
		return platform.Preparation{}, httpcall.ErrNoFiles
	}
	video, _, ok := videoOf(content)
	if !ok {
		images, err := c.open(ctx, content)
		if err != nil {
			return platform.Preparation{}, err
		}
		images.close()
		return platform.Preparation{Ready: true}, nil
	}
	w := &work{
		Connector: c, account: account, content: content, video: video, window: httpcall.Begin(c.client.Now),
		session: sessionOf(handle, video, c.client.Now()),
	}
	wait, err := w.advance(ctx)
	preparation := platform.Preparation{
		Handle: httpcall.Handle(w.session), Wait: wait, Ready: err == nil && w.session.Stage == stageReady,
	}
	if err != nil {
		progressed := w.session.Stage != stageNew && httpcall.Handle(w.session) != handle
		return w.window.Failed(preparation, progressed, err)
	}
	return preparation, nil
}

// videoOf returns the video of a pin, and the picture that is its cover, whose type is empty if there is none; false for a
// pin of images.
func videoOf(content platform.Content) (video, cover media.Asset, ok bool) {
	for _, asset := range content.Media {
		if asset.Type == media.Video {
			video, ok = asset, true
		} else {
			cover = asset
		}
	}
	return video, cover, ok
}

// work is one call of Prepare for a video.
type work struct {
	*Connector

	account platform.Account
	content platform.Content
	video   media.Asset
	session session
	window  *httpcall.Window
}

// advance makes the next step of the upload, and returns the wait before the next one. If Pinterest no longer has the
// upload, or refuses the bytes, advance restarts it once.
func (w *work) advance(ctx context.Context) (time.Duration, error) {
	wait, err := w.step(ctx)
	if !errors.Is(err, httpcall.ErrGone) {
		return wait, err
	}
	again, ok := w.session.anew()
	if !ok {
		return 0, err
	}
	w.session = again
	return 0, nil
}

func (w *work) step(ctx context.Context) (time.Duration, error) {
	switch w.session.Stage {
	case stageNew:
		if err := w.register(ctx); err != nil {
			return 0, err
		}
		return 0, failpoint.Hit(ctx, pointAfterBegin)
	case stageRegistered:
		if err := w.upload(ctx); err != nil {
			return 0, err
		}
		if err := failpoint.Hit(ctx, pointAfterSegment); err != nil {
			return 0, err
		}
		return w.status(ctx)
	case stageProcessing:
		return w.status(ctx)
	case stageReady:
		return 0, nil
	default:
		return 0, errNotUploaded
	}
}

// register creates a video at Pinterest. The response has the address of a form upload and its fields.
func (w *work) register(ctx context.Context) error {
	response, err := w.client.Call(ctx, httpcall.Request{
		Operation: "register", Method: http.MethodPost, Path: []string{version, "media"}, Header: bearer(w.account),
		JSON: map[string]string{"media_type": "video"}, Secrets: []string{w.account.Credentials.AccessToken},
	})
	if err != nil {
		return err
	}
	if !response.OK() {
		return w.mediaRefusal(response)
	}
	var result struct {
		MediaID    string            `json:"media_id"`
		UploadURL  string            `json:"upload_url"`
		Parameters map[string]string `json:"upload_parameters"`
	}
	if err := response.Decode(&result); err != nil || !digits.MatchString(result.MediaID) {
		return w.client.Unclear(response, "no registered video in the response")
	}
	fields := make([][2]string, 0, len(result.Parameters))
	for _, name := range slices.Sorted(maps.Keys(result.Parameters)) {
		value := result.Parameters[name]
		if name == "" || name == fileField || len(name)+len(value) > longestField || strings.ContainsAny(value, "\r\n") {
			return w.client.Unavailable(errParameters)
		}
		fields = append(fields, [2]string{name, value})
	}
	if len(fields) > mostFields {
		return w.client.Unavailable(errParameters)
	}
	if !w.mayUploadTo(result.UploadURL) {
		return w.client.Unavailable(errHost)
	}
	w.session.Stage, w.session.MediaID, w.session.Begun = stageRegistered, result.MediaID, w.client.Now().Unix()
	w.session.URL, w.session.Fields = result.UploadURL, fields
	return nil
}

// mayUploadTo reports whether the address belongs to Pinterest or to the object storage that it uses. A network that
// replaces Pinterest has all its addresses on the host of its API.
func (c *Connector) mayUploadTo(address string) bool {
	to, err := url.Parse(address)
	if err != nil || len(address) > longestField || to.User != nil || to.Fragment != "" {
		return false
	}
	if base, _ := url.Parse(c.client.BaseURL()); c.client.BaseURL() != OfficialAPI {
		return to.Scheme == base.Scheme && to.Host == base.Host
	}
	host := "." + strings.ToLower(to.Hostname())
	return to.Scheme == "https" && (to.Port() == "" || to.Port() == "443") &&
		slices.ContainsFunc([]string{".amazonaws.com", ".pinterest.com", ".pinimg.com"},
			func(suffix string) bool { return strings.HasSuffix(host, suffix) })
}

// fileField is the name of the form's file, which must be its last field.
const fileField = "file"

// upload sends the video as a form to the object storage, which takes no token. If it has the video already, the video is
// overwritten with the same bytes.
func (w *work) upload(ctx context.Context) error {
	file, err := w.window.Open(ctx, w.content.Files, w.video)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	response, err := w.client.Call(ctx, httpcall.Request{
		Operation: "upload", Method: http.MethodPost, Address: w.session.URL,
		Multipart: &httpcall.Multipart{
			Fields: w.session.Fields,
			Files: []httpcall.Part{{
				Field: fileField, FileName: file.Name(), ContentType: file.ContentType(), Size: file.Size(),
				Open: func() (io.ReadCloser, error) {
					return io.NopCloser(io.NewSectionReader(file, 0, file.Size())), nil
				},
			}},
		},
	})
	switch {
	case err != nil:
		return err
	case response.OK():
		w.session.Stage, w.session.URL, w.session.Fields = stageProcessing, "", nil
		return nil
	case response.Status >= http.StatusBadRequest && response.Status < http.StatusInternalServerError &&
		response.Status != http.StatusRequestTimeout && response.Status != http.StatusTooManyRequests:
		// the form has expired, or the storage does not accept the file
		return httpcall.Gone(w.mediaFailure(response.Cause("upload refused")))
	default:
		return w.client.Unavailable(response.Cause("upload refused"))
	}
}

// status reads Pinterest's processing state of the video, and returns the wait before the next check.
func (w *work) status(ctx context.Context) (time.Duration, error) {
	response, err := w.client.Call(ctx, httpcall.Request{
		Operation: "status", Method: http.MethodGet, Path: []string{version, "media", w.session.MediaID},
		Header: bearer(w.account), Secrets: []string{w.account.Credentials.AccessToken},
	})
	switch {
	case err != nil:
		return 0, err
	case response.Status == http.StatusNotFound:
		return 0, httpcall.Gone(w.mediaFailure(response.Cause("not found")))
	case !response.OK():
		return 0, w.mediaRefusal(response)
	}
	var result struct {
		Status string `json:"status"`
	}
	if response.Decode(&result) != nil {
		return 0, w.client.Unclear(response, "no state in the response")
	}
	switch result.Status {
	case "succeeded":
		w.session.Stage = stageReady
		return 0, nil
	case "failed":
		return 0, w.mediaFailure(errors.New("processing failed"))
	default: // registered, processing, or an unknown state: check again later
		return checkAfter, nil
	}
}

// mediaRefusal classifies an error response to a call about a video.
func (w *work) mediaRefusal(response httpcall.Response) *platform.Failure {
	failure := w.failure(response)
	switch failure.Class {
	case platform.ClassRejected:
		return w.mediaFailure(response.Cause("refused"))
	case platform.ClassUnknown: // nothing is published before the pin itself
		return w.client.Unavailable(response.Cause("refused"))
	case platform.ClassTransient, platform.ClassRateLimited, platform.ClassRefresh, platform.ClassReconnect,
		platform.ClassUser, platform.ClassOperator:
	}
	return failure
}

// mediaFailure returns the failure for Pinterest's refusal of a video.
func (c *Connector) mediaFailure(cause error) *platform.Failure {
	return c.client.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
		"Pinterest could not use the video. Replace it, or convert it to MP4, then publish the post again.")
}

func (c *Connector) noMedia() *platform.Failure {
	return c.client.Fail(platform.ClassRejected, CodeRefused, nil,
		"A pin needs an image or a video. Attach one, then publish the post again.")
}
