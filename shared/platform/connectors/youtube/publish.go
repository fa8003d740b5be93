package youtube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// longestShort is the maximum duration of a Short, since 2024-10-15.
const longestShort = 3 * time.Minute

var errUnusable = errors.New("the video cannot be used")

// CodePolicy is the code of a video that YouTube refused after it had accepted it.
const CodePolicy = "POLICY_VIOLATION"

// video is a video in YouTube's API.
type video struct {
	ID     string `json:"id"`
	Status struct {
		Upload   string `json:"uploadStatus"`
		Privacy  string `json:"privacyStatus"`
		Failure  string `json:"failureReason"`
		Rejected string `json:"rejectionReason"`
	} `json:"status"`
}

// Values of uploadStatus. A video that is uploaded is still processed, and can already be seen.
const (
	uploadUploaded = "uploaded"
	uploadFailed   = "failed"
	uploadRejected = "rejected"
	uploadDeleted  = "deleted"
)

// inReview reports whether YouTube may still refuse the video.
func (v video) inReview() bool { return v.Status.Upload == uploadUploaded }

// unusable returns the failure for a video that YouTube refused; nil if it did not.
func (c *Connector) unusable(v video) *platform.Failure {
	switch v.Status.Upload {
	case uploadFailed:
		return c.mediaFailure(fmt.Errorf("%w: failed %s", errUnusable, plain(v.Status.Failure)))
	case uploadRejected:
		reason := cmp.Or(plain(v.Status.Rejected), "unknown")
		return c.client.Fail(platform.ClassRejected, CodePolicy, fmt.Errorf("%w: rejected %s", errUnusable, reason),
			"YouTube rejected the video; the reason it reports is %q. Look at the video in YouTube Studio.", reason)
	default:
		return nil
	}
}

// visibilityOf returns the requested privacy of the video.
func visibilityOf(options post.Options) string { return cmp.Or(options.Visibility, privacyPublic) }

type updateBody struct {
	ID     string `json:"id"`
	Status status `json:"status"`
}

// Commit sets the requested visibility of the uploaded video. YouTube sets it as often as it is asked, so a call whose
// response was lost does no harm. A post with the visibility private stays visible to its owner alone.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Publication, error) {
	if !usable(account) {
		return platform.Publication{}, c.client.Reconnect(errNoToken)
	}
	if comments.IsFirst(content) {
		return c.commitFirst(ctx, account, content)
	}
	id := videoOf(handle)
	if id == "" {
		return platform.Publication{}, c.mediaGone(errNoVideo)
	}
	wanted := visibilityOf(content.Options)
	response, err := c.client.CommitCall(ctx, httpcall.Request{
		Operation: "publish", Method: http.MethodPut, Path: []string{"videos"}, Query: url.Values{"part": {"status"}},
		Header: bearer(account), JSON: updateBody{ID: id, Status: statusOf(content, wanted)},
		Secrets: []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return platform.Publication{}, err
	}
	if !response.OK() {
		return platform.Publication{}, c.refusal(response)
	}
	var created video
	if response.Decode(&created) != nil || created.ID != id || created.Status.Privacy != wanted {
		return platform.Publication{}, c.client.Unclear(response, "success without the video's visibility")
	}
	return c.publication(content, created), nil
}

// publication returns the published video. A video that YouTube refused counts as in review, so that the review reports
// the reason.
func (c *Connector) publication(content platform.Content, v video) platform.Publication {
	asset, _, _ := attachments(content.Media)
	link := c.permalink + "/watch?v=" + url.QueryEscape(v.ID)
	if isShort(asset, content.ContentType == post.ContentReel) {
		link = c.permalink + "/shorts/" + url.PathEscape(v.ID)
	}
	return platform.Publication{
		ExternalID: v.ID, URL: c.client.Permalink(link), InReview: v.inReview() || c.unusable(v) != nil,
	}
}

// look reads the status of a video. Its error is errVideoGone if YouTube does not have the video.
func (c *Connector) look(ctx context.Context, operation string, account platform.Account, id string) (video, error) {
	response, err := c.client.Call(ctx, httpcall.Request{
		Operation: operation, Path: []string{"videos"}, Query: url.Values{"part": {"id,status"}, "id": {id}},
		Header: bearer(account), Secrets: []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return video{}, err
	}
	if !response.OK() {
		return video{}, c.refusal(response)
	}
	var result struct {
		Items []video `json:"items"`
	}
	if response.Decode(&result) != nil || result.Items == nil {
		return video{}, c.client.Unclear(response, "no videos in the response")
	}
	at := slices.IndexFunc(result.Items, func(v video) bool { return v.ID == id })
	if at < 0 || result.Items[at].Status.Upload == uploadDeleted {
		return video{}, errVideoGone
	}
	if result.Items[at].Status.Privacy == "" {
		return video{}, c.client.Unclear(response, "no status in the response")
	}
	return result.Items[at], nil
}
