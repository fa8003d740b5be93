package tiktok

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// pointAfterSegment is the fail point in the middle of an upload.
const pointAfterSegment = "publish.after_segment"

const (
	// uploadFor is the time for which one Prepare starts further chunks, excluding the time to open the file.
	uploadFor = 40 * time.Second
	// pauseAfterFailure is the wait after a failure if progress was made before it.
	pauseAfterFailure = 5 * time.Second
	// mostRestarts is the number of times that an upload starts again. A start costs nothing, but TikTok allows six a minute.
	mostRestarts = 3
)

var (
	errNoFiles    = errors.New("tiktok: the content has attachments, but no files")
	errNoMedia    = errors.New("the content has no attachment")
	errUploadGone = errors.New("the network no longer has the upload")
)

// videoOf returns the video of a post; false for a post of photos.
func videoOf(content platform.Content) (media.Asset, bool) {
	if len(content.Media) > 0 && content.Media[0].Type == media.Video {
		return content.Media[0], true
	}
	return media.Asset{}, false
}

// Prepare asks TikTok what the account allows, and uploads a video without its last chunk, which publishes it. Photos need
// no upload: TikTok fetches them.
//
// An upload is created in a step of its own, so that its id is stored before a byte is sent. Later calls ask TikTok how
// much it has. An upload whose last chunk does not arrive publishes nothing and ends after an hour.
func (p *Personal) Prepare(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Preparation, error) {
	switch {
	case !usable(account):
		return platform.Preparation{}, p.client.Reconnect(errNoToken)
	case len(content.Media) == 0:
		return platform.Preparation{}, mediaFailure(p.client, errNoMedia)
	case content.Files == nil:
		return platform.Preparation{}, errNoFiles
	}
	asset, isVideo := videoOf(content)
	if !isVideo {
		return p.preparePhotos(ctx, account, content)
	}
	w := &uploadWork{
		Personal: p, account: account, content: content, asset: asset,
		transfer: transferOf(handle, asset, p.client.Now()),
	}
	ready, err := w.advance(ctx)
	preparation := platform.Preparation{Handle: httpcall.Handle(w.transfer), Ready: ready}
	if err == nil {
		return preparation, nil
	}
	failure, ok := errors.AsType[*platform.Failure](err)
	if ok && failure.Class == platform.ClassTransient && w.sent {
		preparation.Ready, preparation.Wait = false, pauseAfterFailure
		return preparation, nil
	}
	return platform.Preparation{}, err
}

// uploadWork is one call of Prepare for a video.
type uploadWork struct {
	*Personal

	account  platform.Account
	content  platform.Content
	asset    media.Asset
	transfer transfer
	sent     bool // this call sent a chunk that TikTok has
}

// advance makes the next step of the upload, and reports whether only the last chunk is missing.
func (w *uploadWork) advance(ctx context.Context) (ready bool, err error) {
	// The file is opened in every call, so that the irrevocable one finds it open.
	file, err := w.content.Files.Open(ctx, w.asset)
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	if w.transfer.Publish == "" {
		return false, w.initialize(ctx, file)
	}
	err = w.resume(ctx, file)
	if err == nil {
		ready, err = w.chunks(ctx, file)
	}
	if errors.Is(err, errUploadGone) {
		return false, w.anew(err)
	}
	return ready, err
}

// anew restarts an upload that TikTok no longer has, a few times.
func (w *uploadWork) anew(cause error) error {
	if w.transfer.Again >= mostRestarts {
		return cause
	}
	w.transfer = transfer{Version: transferVersion, Asset: w.transfer.Asset, Again: w.transfer.Again + 1}
	return nil
}

// gone returns a failure after which the upload starts again.
func (p *Personal) gone(cause error) *platform.Failure {
	return p.client.Fail(platform.ClassTransient, platform.CodeMediaNotUploaded, errors.Join(errUploadGone, cause),
		"TikTok no longer has the upload of the post.")
}

// initialize creates the upload. TikTok wants the creator's settings to be read before each post.
func (w *uploadWork) initialize(ctx context.Context, file platform.File) error {
	settings, err := w.settings(ctx, w.account, w.content)
	if err != nil {
		return err
	}
	next := transfer{
		Version: transferVersion, Asset: w.asset.ID.String(), Size: file.Size(), Chunk: chunkOf(file.Size(), w.config.ChunkSize),
		Expires: w.client.Now().Add(addressLife).Unix(), Draft: settings.Draft, Limited: settings.limited(),
		Again: w.transfer.Again,
	}
	path, body := []string{"post", "publish", "video", "init"}, initBody{Source: sourceInfo{
		Source: "FILE_UPLOAD", Size: next.Size, Chunk: next.Chunk, Chunks: next.chunks(),
	}}
	if settings.Draft {
		path = []string{"post", "publish", "inbox", "video", "init"}
	} else {
		body.Post = infoOf(settings)
		body.Post.Title = w.content.Text
	}
	request := w.request("initialize", w.account, path...)
	request.Method, request.JSON = http.MethodPost, body
	response, err := w.client.Call(ctx, request)
	if err != nil {
		return err
	}
	var created initResponse
	if err := w.published(response, &created); err != nil {
		return err
	}
	if !publishID.MatchString(created.ID) || !w.trusted(created.Address) {
		return w.client.Unclear(response, "no upload in the response")
	}
	next.Publish = created.ID
	if next.Address, err = w.config.Sealer.Seal(created.Address, w.asset); err != nil {
		return err
	}
	w.transfer = next
	return nil
}

// trusted reports whether an upload address is TikTok's. In development it may be on the host that replaces TikTok.
func (p *Personal) trusted(address string) bool {
	const longest = 4096
	at, err := url.Parse(address)
	if err != nil || len(address) > longest || at.User != nil || at.Fragment != "" || at.RawQuery == "" {
		return false
	}
	if strings.HasPrefix(address, p.client.BaseURL()+"/") {
		return true
	}
	return at.Scheme == "https" && at.Port() == "" && strings.HasSuffix(at.Hostname(), ".tiktokapis.com")
}

// resume asks TikTok how much of the file it has.
func (w *uploadWork) resume(ctx context.Context, file platform.File) error {
	if file.Size() != w.transfer.Size { // another copy of the attachment
		return w.gone(errors.New("the file has another size"))
	}
	seen, err := w.status(ctx, "status", w.account, w.transfer.Publish)
	if err != nil {
		if platform.FailureOf(err).Class == platform.ClassRejected { // it does not know the id
			return w.gone(err)
		}
		return err
	}
	switch {
	case seen.State == stateFailed:
		return w.gone(errReason(printed(seen.Reason)))
	case seen.State != stateUploading, seen.Uploaded >= w.transfer.Size: // an earlier last chunk arrived
		return w.client.OutcomeUnknown(errReason("an upload that is complete"))
	case seen.Uploaded >= 0 && seen.Uploaded%w.transfer.Chunk == 0:
		w.transfer.Next = int(min(seen.Uploaded/w.transfer.Chunk, int64(w.transfer.last())))
	}
	return nil
}

// chunks sends the chunks before the last one, as far as the time allows.
func (w *uploadWork) chunks(ctx context.Context, file platform.File) (ready bool, err error) {
	until := w.client.Now().Add(uploadFor)
	for w.transfer.Next < w.transfer.last() {
		if w.sent && !w.client.Now().Before(until) {
			return false, nil
		}
		client, request, err := w.chunk(w.account, w.transfer, w.asset, file, w.transfer.Next)
		if err != nil {
			return false, err
		}
		response, err := client.Call(ctx, request)
		client.Close()
		if err != nil {
			return false, err
		}
		if err := w.accepted(response); err != nil {
			return false, err
		}
		w.transfer.Next++
		w.sent = true
		if err := failpoint.Hit(ctx, pointAfterSegment); err != nil {
			return false, err
		}
	}
	return true, nil
}

// accepted returns the failure of a chunk that TikTok did not take. The chunks of an upload that it does not continue are
// sent to a new one.
func (w *uploadWork) accepted(response httpcall.Response) error {
	if response.OK() {
		return nil
	}
	if code := codeOf(response); code != "" {
		return w.refusal(response, code)
	}
	switch response.Status {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusRequestedRangeNotSatisfiable:
		return w.gone(response.Cause("refused"))
	default:
		return w.client.Unclear(response, "no clear refusal")
	}
}

// chunk returns the call that sends a chunk, and the client of the upload address. The address contains the credential.
func (p *Personal) chunk(
	account platform.Account, t transfer, asset media.Asset, file platform.File, index int,
) (*httpcall.Client, httpcall.Request, error) {
	address, err := p.config.Sealer.Open(t.Address, asset)
	if err == nil && !p.trusted(address) {
		err = errors.New("the upload address is not TikTok's")
	}
	if err != nil { // sealed with a key that was removed
		return nil, httpcall.Request{}, p.gone(err)
	}
	at, _ := url.Parse(address) // trusted has parsed it
	wire := p.config.Wire
	folder, name := at.EscapedPath(), ""
	slash := strings.HasSuffix(folder, "/")
	folder = strings.TrimRight(folder, "/")
	if cut := strings.LastIndexByte(folder, '/'); cut >= 0 {
		folder, name = folder[:cut], folder[cut+1:]
	}
	wire.BaseURL = at.Scheme + "://" + at.Host + folder
	client, err := httpcall.New(wire)
	if err != nil {
		return nil, httpcall.Request{}, p.gone(err)
	}
	from, length := t.part(index)
	return client, httpcall.Request{
		Operation: "append", Method: http.MethodPut, Path: []string{name}, PathSlash: slash, QueryTail: at.RawQuery,
		Header: http.Header{"Content-Range": {fmt.Sprintf("bytes %d-%d/%d", from, from+length-1, t.Size)}},
		Body: &httpcall.Body{
			Size: length, ContentType: file.ContentType(),
			Reader: func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, from, length)), nil },
		},
		Secrets: append(secretsIn(at), account.Credentials.AccessToken, address),
	}, nil
}

// secretsIn returns the credentials in an upload address.
func secretsIn(at *url.URL) []string {
	secrets := []string{at.RawQuery}
	for _, values := range at.Query() {
		secrets = append(secrets, values...)
	}
	return secrets
}

// mediaFailure returns the failure for a file that TikTok cannot use.
func mediaFailure(client *httpcall.Client, cause error) *platform.Failure {
	return client.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
		"TikTok publishes one video, or photos. Attach one, then publish the post again.")
}

// settings reads what the account allows, and derives the settings of the post.
func (p *Personal) settings(
	ctx context.Context, account platform.Account, content platform.Content,
) (PostSettings, error) {
	return settingsOf(p.client, p.restrict(content), func() (platform.CreatorInfo, error) { return p.CreatorInfo(ctx, account) })
}

// settingsOf derives the settings of a post from what the account allows. A draft needs no permission to publish, so
// that nothing is read for it. A refused read counts as a temporary failure before the post.
func settingsOf(
	client *httpcall.Client, content platform.Content, read func() (platform.CreatorInfo, error),
) (PostSettings, error) {
	if isTrue(content.Options.UploadToDraft) {
		return Settings(content.Options, platform.CreatorInfo{})
	}
	info, err := read()
	if err == nil {
		return allowed(client, content, info)
	}
	if failure := platform.FailureOf(err); failure.Code == CodeRefused {
		err = client.Unavailable(failure.Cause)
	}
	return PostSettings{}, err
}

// allowed derives the settings of the post, and checks the video's duration.
func allowed(client *httpcall.Client, content platform.Content, info platform.CreatorInfo) (PostSettings, error) {
	settings, err := Settings(content.Options, info)
	if err != nil || settings.Draft {
		return settings, err
	}
	asset, isVideo := videoOf(content)
	longest := time.Duration(info.MaxVideoDurationSec) * time.Second
	if isVideo && longest > 0 && asset.Probe.Duration > longest {
		return PostSettings{}, client.Fail(platform.ClassRejected, platform.CodeMediaRefused, nil,
			"The video lasts %s, and this TikTok account may publish videos of up to %s. Shorten it, then publish the post "+
				"again.", asset.Probe.Duration.Round(time.Second), longest)
	}
	return settings, nil
}

// Bodies of the calls that create a post.
type (
	initBody struct {
		Post   *postInfo  `json:"post_info,omitempty"` // none for the draft of a video
		Source sourceInfo `json:"source_info"`
		Mode   string     `json:"post_mode,omitempty"`
		Media  string     `json:"media_type,omitempty"`
	}
	postInfo struct {
		Title          string `json:"title,omitempty"`
		Description    string `json:"description,omitempty"`
		Privacy        string `json:"privacy_level,omitempty"`
		DisableComment bool   `json:"disable_comment"`
		DisableDuet    *bool  `json:"disable_duet,omitempty"`
		DisableStitch  *bool  `json:"disable_stitch,omitempty"`
		Cover          *int64 `json:"video_cover_timestamp_ms,omitempty"` // of a video
		BrandContent   bool   `json:"brand_content_toggle"`
		BrandOrganic   bool   `json:"brand_organic_toggle"`
		AI             bool   `json:"is_aigc,omitempty"` // of a video
	}
	sourceInfo struct {
		Source string   `json:"source"`
		Size   int64    `json:"video_size,omitempty"`
		Chunk  int64    `json:"chunk_size,omitempty"`
		Chunks int      `json:"total_chunk_count,omitempty"`
		Images []string `json:"photo_images,omitempty"`
		Cover  *int     `json:"photo_cover_index,omitempty"`
	}
	initResponse struct {
		ID      string `json:"publish_id"`
		Address string `json:"upload_url"`
	}
)

// infoOf returns the settings of a video as TikTok names them.
func infoOf(s PostSettings) *postInfo {
	return &postInfo{
		Privacy: s.PrivacyLevel, DisableComment: s.DisableComment, DisableDuet: &s.DisableDuet,
		DisableStitch: &s.DisableStitch, BrandContent: s.BrandContent, BrandOrganic: s.BrandOrganic,
		Cover: s.Cover, AI: s.AI,
	}
}
