package tiktok

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

// TikTok describes the posts of the Accounts API only to applications that it has admitted. The calls here are those
// that several integrations agree on (docs/architecture.md, Networks).

var (
	_ platform.Carrier  = (*Business)(nil)
	_ platform.Reviewer = (*Business)(nil)
)

// businessVersionOfHandle is the format version of a business post's handle.
const businessVersionOfHandle = 1

// businessHandle holds the settings of a post. Nothing is uploaded: TikTok fetches the files.
type businessHandle struct {
	Version  int          `json:"v"`
	Settings PostSettings `json:"business"`
}

// businessPost is the body of the calls that publish.
type businessPost struct {
	BusinessID string       `json:"business_id"`
	VideoURL   string       `json:"video_url,omitempty"`
	Images     []string     `json:"photo_images,omitempty"`
	Cover      *int         `json:"photo_cover_index,omitempty"`
	Offset     *int64       `json:"thumbnail_offset,omitempty"` // of a video's cover, in milliseconds
	Info       businessInfo `json:"post_info"`
}

// businessInfo holds the settings as the Accounts API names them. The two brand flags are mandatory.
type businessInfo struct {
	Title          string `json:"title,omitempty"`
	Caption        string `json:"caption,omitempty"`
	Privacy        string `json:"privacy_level,omitempty"` // photos only
	BrandOrganic   bool   `json:"is_brand_organic"`
	BrandContent   bool   `json:"is_branded_content"`
	DisableComment bool   `json:"disable_comment"`
	DisableDuet    *bool  `json:"disable_duet,omitempty"`
	DisableStitch  *bool  `json:"disable_stitch,omitempty"`
	VideoDraft     bool   `json:"upload_to_draft,omitempty"`
	PhotoDraft     bool   `json:"is_draft,omitempty"`
}

// CarriesMedia marks the connector as a platform.Carrier. It publishes a video, or photos.
func (b *Business) CarriesMedia() {}

// Strength returns ReconcileMatch: a lost id of a post in the making cannot be asked for.
func (b *Business) Strength() platform.ReconcileStrength { return platform.ReconcileMatch }

// Prepare reads what the account allows. There is nothing to upload.
func (b *Business) Prepare(
	ctx context.Context, account platform.Account, content platform.Content, _ platform.Handle,
) (platform.Preparation, error) {
	switch {
	case !usable(account):
		return platform.Preparation{}, b.client.Reconnect(errNoToken)
	case len(content.Media) == 0:
		return platform.Preparation{}, mediaFailure(b.client, errNoMedia)
	case content.Files == nil:
		return platform.Preparation{}, errNoFiles
	}
	settings, err := settingsOf(b.client, content, func() (platform.CreatorInfo, error) { return b.settings(ctx, account) })
	if err != nil {
		return platform.Preparation{}, err
	}
	handle := httpcall.Handle(businessHandle{businessVersionOfHandle, settings})
	return platform.Preparation{Handle: handle, Ready: true}, nil
}

// Commit has TikTok fetch the files and make the post. TikTok responds before it has made it, so the publication is in
// review, and its id is that of the post in the making.
func (b *Business) Commit(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Publication, error) {
	var kept businessHandle
	switch {
	case !usable(account):
		return platform.Publication{}, b.client.Reconnect(errNoToken)
	case len(content.Media) == 0 || content.Files == nil:
		return platform.Publication{}, mediaFailure(b.client, errNoMedia)
	case json.Unmarshal([]byte(handle), &kept) != nil || kept.Version != businessVersionOfHandle:
		return platform.Publication{}, b.client.Unavailable(errors.New("the handle is unreadable"))
	}
	links, err := linksOf(ctx, content)
	if err != nil {
		return platform.Publication{}, err
	}
	_, isVideo := videoOf(content)
	kind, body := "photo", businessBody(account, content, kept.Settings, links, isVideo)
	if isVideo {
		kind = "video"
	}
	response, err := b.client.CommitCall(ctx, httpcall.Request{
		Operation: "publish", Method: http.MethodPost, PathSlash: true,
		Path:   []string{"open_api", businessVersion, "business", kind, "publish"},
		Header: http.Header{"Access-Token": {account.Credentials.AccessToken}}, JSON: body,
		Secrets: append(links, account.Credentials.AccessToken),
	})
	if err != nil {
		return platform.Publication{}, err
	}
	var created struct {
		ID string `json:"share_id"`
	}
	if err := b.published(response, &created); err != nil {
		return platform.Publication{}, err
	}
	if !publishID.MatchString(created.ID) {
		return platform.Publication{}, b.client.Unclear(response, "no id in the response")
	}
	return accepted(created.ID, kept.Settings.limited()), nil
}

func businessBody(
	account platform.Account, content platform.Content, s PostSettings, links []string, isVideo bool,
) businessPost {
	body := businessPost{BusinessID: account.ExternalID, Info: businessInfo{
		Caption: content.Text, BrandOrganic: s.BrandOrganic, BrandContent: s.BrandContent, DisableComment: s.DisableComment,
	}}
	if isVideo {
		body.VideoURL, body.Offset, body.Info.VideoDraft = links[0], s.Cover, s.Draft
		body.Info.DisableDuet, body.Info.DisableStitch = &s.DisableDuet, &s.DisableStitch
		return body
	}
	body.Images, body.Cover = links, new(int)
	body.Info.Title, body.Info.Privacy, body.Info.PhotoDraft = content.Title, s.PrivacyLevel, s.Draft
	return body
}

// published decodes the data of a successful call about a post. A refusal may name a code of the Content Posting API.
func (b *Business) published(response httpcall.Response, into any) error {
	err := b.data(response, into)
	failure := platform.FailureOf(err)
	if err == nil || failure.Code != CodeRefused {
		return err
	}
	result, _ := businessResponseOf(response)
	for _, word := range strings.FieldsFunc(result.Message, notInCode) {
		if named := postFailure(b.client, response, word); named != nil {
			return named
		}
	}
	return invalidPost(failure)
}

// notInCode reports whether codes of the Content Posting API have no such character.
func notInCode(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }

// Review reads the state of a post in the making.
func (b *Business) Review(
	ctx context.Context, account platform.Account, externalID string,
) (platform.Publication, error) {
	if !usable(account) {
		return platform.Publication{}, b.client.Reconnect(errNoToken)
	}
	request := b.get("review", account, "business", "publish", "status")
	request.Query.Set("publish_id", strings.TrimSuffix(externalID, limitedMark))
	response, err := b.client.Call(ctx, request)
	if err != nil {
		return platform.Publication{}, reviewFailure(b.client, err)
	}
	var result struct {
		Status string                         `json:"status"`
		Reason string                         `json:"reason"`
		Posts  httpcall.Some[json.RawMessage] `json:"post_ids"`
	}
	if err := b.data(response, &result); err != nil {
		return platform.Publication{}, reviewFailure(b.client, err)
	}
	seen := making{State: result.Status, Reason: result.Reason, Posts: idsIn(result.Posts)}
	if failure := seen.failed(b.client); failure != nil {
		return platform.Publication{}, failure
	}
	return seen.publication(account, b.client, permalinkOf(b.client.BaseURL(), BusinessAPI), externalID), nil
}

// Reconcile looks for the text among the account's newest public posts. TikTok may hide a post for hours while it
// moderates it, so its absence is never certain.
func (b *Business) Reconcile(
	ctx context.Context, account platform.Account, _ platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	if !usable(account) {
		return platform.EvidenceUnclear, platform.Publication{}, b.client.Reconnect(errNoToken)
	}
	request := b.get("reconcile", account, "business", "video", "list")
	request.Query.Set("fields", `["item_id","caption","create_time","share_url"]`)
	request.Query.Set("max_count", strconv.Itoa(listSize))
	response, err := b.client.Call(ctx, request)
	if err != nil {
		return platform.EvidenceUnclear, platform.Publication{}, err
	}
	var list struct {
		Videos []struct {
			ID      string      `json:"item_id"`
			Text    string      `json:"caption"`
			Created json.Number `json:"create_time"` // a number, or a text
			URL     string      `json:"share_url"`
		} `json:"videos"`
	}
	if err := b.data(response, &list); err != nil {
		return platform.EvidenceUnclear, platform.Publication{}, b.client.ReadRefused(platform.FailureOf(err), "video.list")
	}
	page := make([]readback.Listed, 0, len(list.Videos))
	for _, one := range list.Videos {
		created, _ := one.Created.Int64()
		page = append(page, listedOf(b.client, one.ID, one.Text, one.URL, created))
	}
	if found, ok := readback.NewSearch(sent).Read(page); ok {
		return platform.EvidenceFound, found, nil
	}
	return platform.EvidenceUnclear, platform.Publication{}, nil
}
