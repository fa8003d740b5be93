package bluesky

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

const (
	// videoWait is the wait between two checks of a video.
	videoWait = 2 * time.Second
	// serviceTokenLife is the requested lifetime of the token with which the video service stores the video on the
	// account's server. It covers the upload and the conversion.
	serviceTokenLife = 30 * time.Minute
)

// job is the state of the conversion of a video (lexicon app.bsky.video.defs#jobStatus).
type job struct {
	ID      string `json:"jobId"`
	State   string `json:"state"`
	Blob    *blob  `json:"blob"`
	Error   string `json:"error"`
	Message string `json:"message"`
}

// readJob reads the response of the video service, which has two forms: the state of the job, alone or as a member.
func readJob(response httpcall.Response) (job, bool) {
	var result struct {
		Status *job `json:"jobStatus"`
		job
	}
	if response.Decode(&result) != nil {
		return job{}, false
	}
	found := result.job
	if result.Status != nil {
		found = *result.Status
	}
	return found, found.ID != "" && len(found.ID) <= longestJob
}

// longestJob is the length of the longest id of a job.
const longestJob = 256

// sendVideo uploads a video or an animated GIF, as Bluesky's app does, to the video service (docs.bsky.app/docs/tutorials/video). The service converts the video
// and stores it on the account's server, with a token for that one call. It refuses a video that it has already, and
// names the job of the first upload.
func (c *Connector) sendVideo(
	ctx context.Context, s session, files platform.Files, asset media.Asset, number int, into *upload,
) error {
	file, err := files.Open(ctx, asset)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	token, err := s.serviceToken(ctx)
	if err != nil {
		return err
	}
	response, err := c.video.Call(ctx, withToken("app.bsky.video.uploadVideo", token, httpcall.Request{
		Operation: "upload", Method: http.MethodPost, Body: bodyOf(file),
		Query:   url.Values{"did": {s.account.ExternalID}, "name": {fileName(asset)}},
		Secrets: []string{s.account.Credentials.AccessToken},
	}))
	if err != nil {
		return err
	}
	begun, ok := readJob(response)
	switch {
	case ok && (response.OK() || response.Status == http.StatusConflict):
		into.Job, into.At = begun.ID, s.Now().Unix()
		return nil
	case response.OK():
		return s.Unclear(response, "no job in the response")
	default:
		return c.videoFailure(s, number, response)
	}
}

// fileName returns the name of a file for the video service.
func fileName(asset media.Asset) string {
	if asset.Type == media.GIF {
		return asset.ID.String() + ".gif"
	}
	return asset.ID.String() + ".mp4"
}

// videoFailure classifies a refusal of the video service. A refusal of the service token says nothing about the
// account's token, except that it may have expired. Refusals that concern the account have status 401 too.
func (c *Connector) videoFailure(s session, number int, response httpcall.Response) *platform.Failure {
	p, _ := readProblem(response)
	refused := failure(c.video, response)
	switch p.Error {
	case "unconfirmed_email":
		return s.Fail(platform.ClassUser, CodeEmail, refused.Cause,
			"Bluesky takes videos only from accounts with a confirmed email address. Confirm it in the settings of Bluesky, "+
				"then publish the post again.")
	case "profile_not_found":
		return s.Fail(platform.ClassUser, CodeProfile, refused.Cause,
			"Bluesky takes videos only from accounts with a profile. Save the profile of the account in Bluesky's app, then "+
				"publish the post again.")
	case "UploadForbidden":
		return s.Fail(platform.ClassUser, CodeAccount, refused.Cause,
			"Bluesky does not let this account upload videos. Sign in to Bluesky, resolve it there, then publish the post again.")
	case "DailyLimitExceeded":
		return s.RateLimited(time.Time{}, refused.Cause)
	case "TooManyOpenUploads", "ServiceOverloaded":
		return s.Unavailable(refused.Cause)
	}
	switch refused.Class {
	case platform.ClassRefresh, platform.ClassReconnect:
		if p.Error != "ExpiredToken" {
			return s.Unavailable(refused.Cause)
		}
	case platform.ClassRejected, platform.ClassTransient, platform.ClassRateLimited, platform.ClassUser,
		platform.ClassOperator, platform.ClassUnknown:
	}
	return s.uploadFailure(number, refused)
}

// serviceToken returns a token with which the video service may upload files to the account's server.
func (s session) serviceToken(ctx context.Context) (string, error) {
	var own current
	err := s.ask(ctx, "com.atproto.server.getSession", httpcall.Request{Operation: "session"}, &own)
	if err != nil {
		return "", err
	}
	var response struct {
		Token string `json:"token"`
	}
	err = s.ask(ctx, "com.atproto.server.getServiceAuth", httpcall.Request{
		Operation: "session",
		Query: url.Values{
			"aud": {"did:web:" + own.host(s.BaseURL())}, "lxm": {"com.atproto.repo.uploadBlob"},
			"exp": {strconv.FormatInt(s.Now().Add(serviceTokenLife).Unix(), 10)},
		},
	}, &response)
	if err == nil && !httpcall.Token(response.Token) {
		err = s.Unavailable(errors.New("no service token in the response"))
	}
	return response.Token, err
}

// host returns the host of the server that stores the account. The called server may only forward to it.
func (c current) host(called string) string {
	for _, service := range c.Document.Services {
		if strings.HasSuffix(service.ID, "#atproto_pds") {
			called = service.Endpoint
		}
	}
	address, err := url.Parse(called)
	if err != nil {
		return ""
	}
	return address.Hostname()
}

// checkVideo reads the state of a conversion. A job that the service does not know starts again.
func (c *Connector) checkVideo(ctx context.Context, s session, number int, file *upload) (time.Duration, error) {
	response, err := c.video.Call(ctx, httpcall.Request{
		Operation: "status", Path: []string{"xrpc", "app.bsky.video.getJobStatus"},
		Query: url.Values{"jobId": {file.Job}},
	})
	if err != nil {
		return 0, err
	}
	if !response.OK() {
		refused := c.videoFailure(s, number, response)
		if refused.Class == platform.ClassRejected {
			*file = upload{Asset: file.Asset}
			return videoWait, nil
		}
		return 0, refused
	}
	found, ok := readJob(response)
	switch {
	case !ok:
		return 0, s.Unclear(response, "no job in the response")
	case found.State == "JOB_STATE_FAILED":
		const longest = 200
		return 0, s.mediaFailure(number, errors.New("conversion failed: "+
			httpcall.Text(found.Error+": "+found.Message, longest)))
	case found.Blob != nil && found.Blob.valid():
		file.Blob, file.At = found.Blob, s.Now().Unix()
		return 0, nil
	default:
		file.At = s.Now().Unix()
		return videoWait, nil
	}
}
