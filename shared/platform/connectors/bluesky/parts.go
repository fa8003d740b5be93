package bluesky

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// largestWhole is the size from which the video service takes a file in parts alone, in bytes. Its other call refuses
// larger ones.
const largestWhole = 100_000_000

// parts is an upload in parts (lexicons app.bsky.video.startUpload, uploadPart and finishUpload).
type parts struct {
	Job  string `json:"job"`
	Size int64  `json:"size"` // of a part but the last, in bytes
	Sent int    `json:"sent"` // number of parts
}

// sendParts makes one step of an upload in parts: it starts the upload, sends a part, or finishes it. A repeated step
// has no other effect.
func (c *Connector) sendParts(
	ctx context.Context, s session, files platform.Files, asset media.Asset, number int, into *upload,
) (time.Duration, error) {
	file, err := files.Open(ctx, asset)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	token, err := s.serviceToken(ctx)
	if err != nil {
		return 0, err
	}
	step := partStep{Connector: c, session: s, file: file, token: token, number: number, into: into}
	switch {
	case into.Parts == nil:
		return 0, step.start(ctx, asset)
	case into.Parts.Size*int64(into.Parts.Sent) < file.Size():
		return step.send(ctx)
	default:
		return step.finish(ctx)
	}
}

// partStep is one call of an upload in parts.
type partStep struct {
	*Connector

	session session
	file    platform.File
	token   string
	number  int // of the attachment
	into    *upload
}

func (p partStep) call(ctx context.Context, method string, request httpcall.Request) (httpcall.Response, error) {
	request.Operation, request.Method = "upload", http.MethodPost
	request.Secrets = []string{p.session.account.Credentials.AccessToken}
	return p.video.Call(ctx, withToken(method, p.token, request))
}

func (p partStep) start(ctx context.Context, asset media.Asset) error {
	declared := map[string]any{
		"sizeBytes": p.file.Size(), "mimeType": p.file.ContentType(), "name": fileName(asset),
	}
	if probe := asset.Probe; probe.Width > 0 && probe.Height > 0 && probe.Duration > 0 {
		declared["width"], declared["height"] = probe.Width, probe.Height
		declared["durationMs"] = probe.Duration.Milliseconds()
	}
	response, err := p.call(ctx, "app.bsky.video.startUpload", httpcall.Request{JSON: declared})
	if err != nil {
		return err
	}
	if !response.OK() {
		return p.videoFailure(p.session, p.number, response)
	}
	var begun struct {
		Job   string `json:"jobId"`
		Size  int64  `json:"partSizeBytes"`
		Count int64  `json:"partCount"`
	}
	if response.Decode(&begun) != nil || begun.Job == "" || len(begun.Job) > longestJob || begun.Size < 1 ||
		begun.Count != (p.file.Size()+begun.Size-1)/begun.Size {
		return p.session.Unclear(response, "no upload in the response")
	}
	p.into.Parts, p.into.At = &parts{Job: begun.Job, Size: begun.Size}, p.session.Now().Unix()
	return nil
}

func (p partStep) send(ctx context.Context) (time.Duration, error) {
	from := p.into.Parts.Size * int64(p.into.Parts.Sent)
	length := min(p.into.Parts.Size, p.file.Size()-from)
	response, err := p.call(ctx, "app.bsky.video.uploadPart", httpcall.Request{
		Query: url.Values{"jobId": {p.into.Parts.Job}, "partNumber": {strconv.Itoa(p.into.Parts.Sent + 1)}},
		Body: &httpcall.Body{
			Reader: func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(p.file, from, length)), nil },
			Size:   length, ContentType: "application/octet-stream",
		},
	})
	if err != nil {
		return 0, err
	}
	if refused, _ := readProblem(response); !response.OK() && refused.Error != "UploadAlreadyCompleted" {
		return p.refused(refused, response)
	}
	p.into.Parts.Sent++
	p.into.At = p.session.Now().Unix()
	return 0, nil
}

func (p partStep) finish(ctx context.Context) (time.Duration, error) {
	response, err := p.call(ctx, "app.bsky.video.finishUpload", httpcall.Request{
		JSON: map[string]string{"jobId": p.into.Parts.Job},
	})
	if err != nil {
		return 0, err
	}
	if !response.OK() {
		refused, _ := readProblem(response)
		return p.refused(refused, response)
	}
	var done struct {
		Job string `json:"completedJobId"`
	}
	if response.Decode(&done) != nil || done.Job == "" || len(done.Job) > longestJob {
		return 0, p.session.Unclear(response, "no job in the response")
	}
	p.into.Parts, p.into.Job, p.into.At = nil, done.Job, p.session.Now().Unix()
	return videoWait, nil
}

// refused waits for a finish that is under way, starts an upload again that the service lost, and returns the failure of
// every other refusal.
func (p partStep) refused(refused problem, response httpcall.Response) (time.Duration, error) {
	switch refused.Error {
	case "UploadNotReady":
		return videoWait, nil
	case "UploadNotFound", "UploadExpired", "UploadAborted", "MissingParts", "InvalidPartNumber", "PartSizeMismatch":
		*p.into = upload{Asset: p.into.Asset}
		return videoWait, nil
	default:
		return 0, p.videoFailure(p.session, p.number, response)
	}
}
