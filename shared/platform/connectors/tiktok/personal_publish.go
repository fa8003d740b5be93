package tiktok

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

// listSize is the number of posts that either product lists at once.
const listSize = 20

// Commit sends the last chunk of a video, which publishes it, or has TikTok fetch the photos of a post.
//
// TikTok responds before it has made the post. The publication is therefore in review, and its id is that of the post in
// the making.
func (p *Personal) Commit(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Publication, error) {
	if !usable(account) {
		return platform.Publication{}, p.client.Reconnect(errNoToken)
	}
	asset, isVideo := videoOf(content)
	if !isVideo {
		return p.commitPhotos(ctx, account, content, handle)
	}
	t := transferOf(handle, asset, p.client.Now().Add(-clockMargin))
	if t.Publish == "" || t.Next != t.last() {
		return platform.Publication{}, p.gone(errNoMedia)
	}
	file, err := content.Files.Open(ctx, asset)
	if err != nil {
		return platform.Publication{}, err
	}
	defer func() { _ = file.Close() }()
	client, request, err := p.chunk(account, t, asset, file, t.last())
	if err != nil {
		return platform.Publication{}, err
	}
	defer client.Close()
	request.Operation = "publish"
	response, err := client.CommitCall(ctx, request)
	switch {
	case err != nil:
		return platform.Publication{}, err
	case response.Status == http.StatusCreated: // the only success of a last chunk; its body is empty
		return accepted(t.Publish, t.Limited), nil
	}
	if code := codeOf(response); code != "" {
		return p.decided(ctx, account, t, p.refusal(response, code))
	}
	return platform.Publication{}, p.client.Unclear(response, "no clear refusal")
}

// decided reads the state of the upload after a refusal of its last chunk that is not about the content: TikTok may have
// the chunk all the same.
func (p *Personal) decided(
	ctx context.Context, account platform.Account, t transfer, failure *platform.Failure,
) (platform.Publication, error) {
	if failure.Class == platform.ClassRejected {
		return platform.Publication{}, failure
	}
	const timeout = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	seen, err := p.status(ctx, "status", account, t.Publish)
	if err == nil && (seen.State != stateUploading || seen.Uploaded >= t.Size) {
		return accepted(t.Publish, t.Limited), nil
	}
	return platform.Publication{}, failure
}

// preparePhotos asks TikTok what the account allows. There is nothing to upload.
func (p *Personal) preparePhotos(
	ctx context.Context, account platform.Account, content platform.Content,
) (platform.Preparation, error) {
	settings, err := p.settings(ctx, account, content)
	if err != nil {
		return platform.Preparation{}, err
	}
	t := transfer{Version: transferVersion, Asset: content.Media[0].ID.String(), Photos: &settings}
	return platform.Preparation{Handle: httpcall.Handle(t), Ready: true}, nil
}

// commitPhotos has TikTok fetch the photos. If its response is lost, nothing identifies the post.
func (p *Personal) commitPhotos(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Publication, error) {
	t, ok := readTransfer(handle)
	if !ok || t.Photos == nil {
		return platform.Publication{}, p.gone(errNoMedia)
	}
	links, err := linksOf(ctx, content)
	if err != nil {
		return platform.Publication{}, err
	}
	body := initBody{Media: "PHOTO", Mode: "DIRECT_POST", Source: sourceInfo{
		Source: "PULL_FROM_URL", Images: links, Cover: new(int),
	}}
	if t.Photos.Draft {
		body.Mode, body.Post = "MEDIA_UPLOAD", &postInfo{}
	} else {
		body.Post = infoOf(*t.Photos)
		body.Post.DisableDuet, body.Post.DisableStitch, body.Post.Cover = nil, nil, nil
	}
	body.Post.Title, body.Post.Description = content.Title, content.Text
	request := p.request("publish", account, "post", "publish", "content", "init")
	request.Method, request.JSON = http.MethodPost, body
	request.Secrets = append(request.Secrets, links...)
	response, err := p.client.CommitCall(ctx, request)
	if err != nil {
		return platform.Publication{}, err
	}
	var created initResponse
	if err := p.published(response, &created); err != nil {
		return platform.Publication{}, err
	}
	if !publishID.MatchString(created.ID) {
		return platform.Publication{}, p.client.Unclear(response, "no id in the response")
	}
	return accepted(created.ID, t.Photos.limited()), nil
}

// linksOf returns the addresses of the attachments.
func linksOf(ctx context.Context, content platform.Content) ([]string, error) {
	links := make([]string, len(content.Media))
	for i, asset := range content.Media {
		var err error
		if links[i], err = content.Files.Link(ctx, asset); err != nil {
			return nil, err
		}
	}
	return links, nil
}

// Strength returns ReconcileExact: the handle of a video names its post in the making.
func (p *Personal) Strength() platform.ReconcileStrength { return platform.ReconcileExact }

// CarriesMedia marks the connector as a platform.Carrier. It publishes a video, or photos.
func (p *Personal) CarriesMedia() {}

// Reconcile reads how much of a video's upload TikTok has: the last chunk publishes it. A photo post, whose id is lost
// with the response, is looked for among the account's public posts. It may be hidden for hours while TikTok moderates
// it, so its absence is never certain.
func (p *Personal) Reconcile(
	ctx context.Context, account platform.Account, _ platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	if !usable(account) {
		return platform.EvidenceUnclear, platform.Publication{}, p.client.Reconnect(errNoToken)
	}
	t, ok := readTransfer(sent.Handle)
	if !ok || t.Publish == "" {
		return p.search(ctx, account, sent)
	}
	seen, err := p.status(ctx, "reconcile", account, t.Publish)
	switch {
	case err != nil:
		return platform.EvidenceUnclear, platform.Publication{}, p.client.ReadRefused(platform.FailureOf(err), "video.publish")
	case seen.State != stateUploading || seen.Uploaded >= t.Size:
		id := accepted(t.Publish, t.Limited).ExternalID
		return platform.EvidenceFound, seen.publication(account, p.client, p.permalink, id), nil
	case seen.Uploaded >= 0:
		return platform.EvidenceAbsent, platform.Publication{}, nil
	default:
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
}

// Review reads the state of a post in the making.
func (p *Personal) Review(
	ctx context.Context, account platform.Account, externalID string,
) (platform.Publication, error) {
	if !usable(account) {
		return platform.Publication{}, p.client.Reconnect(errNoToken)
	}
	seen, err := p.status(ctx, "review", account, strings.TrimSuffix(externalID, limitedMark))
	if err != nil {
		return platform.Publication{}, reviewFailure(p.client, err)
	}
	if failure := seen.failed(p.client); failure != nil {
		return platform.Publication{}, failure
	}
	return seen.publication(account, p.client, p.permalink, externalID), nil
}

// reviewFailure returns the failure of a read of a post's state. A refused read says nothing about the post.
func reviewFailure(client *httpcall.Client, err error) error {
	failure := platform.FailureOf(err)
	if failure.Class == platform.ClassRefresh {
		return failure
	}
	return client.Unavailable(failure.Cause)
}

// search looks for the text among the account's newest public posts.
func (p *Personal) search(
	ctx context.Context, account platform.Account, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	request := p.request("reconcile", account, "video", "list")
	request.Method, request.JSON = http.MethodPost, map[string]int{"max_count": listSize}
	request.Query = url.Values{"fields": {"id,create_time,video_description,share_url"}}
	response, err := p.client.Call(ctx, request)
	if err != nil {
		return platform.EvidenceUnclear, platform.Publication{}, err
	}
	var list struct {
		Videos []struct {
			ID      string `json:"id"`
			Created int64  `json:"create_time"`
			Text    string `json:"video_description"`
			URL     string `json:"share_url"`
		} `json:"videos"`
	}
	if err := p.published(response, &list); err != nil {
		return platform.EvidenceUnclear, platform.Publication{}, p.client.ReadRefused(platform.FailureOf(err), "video.list")
	}
	page := make([]readback.Listed, 0, len(list.Videos))
	for _, one := range list.Videos {
		page = append(page, listedOf(p.client, one.ID, one.Text, one.URL, one.Created))
	}
	if found, ok := readback.NewSearch(sent).Read(page); ok {
		return platform.EvidenceFound, found, nil
	}
	return platform.EvidenceUnclear, platform.Publication{}, nil
}

// listedOf returns a post of a list, whose time is in Unix seconds.
func listedOf(client *httpcall.Client, id, text, address string, created int64) readback.Listed {
	one := readback.Listed{Text: text, URL: client.Permalink(address)}
	if videoID.MatchString(id) {
		one.ID = id
	}
	if created > 0 {
		one.At = time.Unix(created, 0)
	}
	return one
}

// published decodes the data of a successful call about a post. It returns a *platform.Failure for any other response.
func (p *Personal) published(response httpcall.Response, into any) error {
	var result struct {
		Error personalError `json:"error"`
	}
	if response.Decode(&result) == nil && (!response.OK() || result.Error.Code != personalOK) {
		return p.refusal(response, result.Error.Code)
	}
	return p.data(response, into)
}
