package tiktok

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// States of a post in the making, in both products.
const (
	stateUploading   = "PROCESSING_UPLOAD"
	stateDownloading = "PROCESSING_DOWNLOAD"
	stateInInbox     = "SEND_TO_USER_INBOX" // the end of a draft
	stateComplete    = "PUBLISH_COMPLETE"
	stateFailed      = "FAILED"
)

// making is a post in the making.
type making struct {
	State    string
	Reason   string   // of a failure
	Uploaded int64    // bytes of a file; -1 if unknown
	Posts    []string // ids of the public posts; empty until moderation ends
}

// failed returns the failure of a post that TikTok could not make; nil if there is none.
func (m making) failed(client *httpcall.Client) *platform.Failure {
	if m.State != stateFailed {
		return nil
	}
	return reasonFailure(client, m.Reason)
}

// reasonFailure classifies the reason of a failed post. Nothing was published.
func reasonFailure(client *httpcall.Client, reason string) *platform.Failure {
	cause := errReason(printed(reason))
	switch reason {
	case "file_format_check_failed", "duration_check_failed", "frame_rate_check_failed", "picture_size_check_failed",
		"video_pull_failed", "photo_pull_failed", "invalid_file_upload":
		return client.Fail(platform.ClassRejected, platform.CodeMediaRefused, cause,
			"TikTok could not use a file of the post (%s). Replace it, then publish the post again.", printed(reason))
	case "spam_risk_user_banned_from_posting":
		return barred(client, cause)
	case "auth_removed":
		return client.Fail(platform.ClassRejected, CodeAccount, cause,
			"The account withdrew its permission while TikTok made the post. Connect the channel again, then publish the "+
				"post again.")
	case "spam_risk_too_many_posts", "spam_risk_too_many_pending_share", "reached_active_user_cap":
		return client.Fail(platform.ClassRejected, CodeAccount, cause,
			"TikTok accepts no more posts of this account today (%s). Publish the post again tomorrow.", printed(reason))
	default:
		return client.Fail(platform.ClassRejected, CodeContentRefused, cause,
			"TikTok did not publish the post (%s). Look at it, then publish it again.", printed(reason))
	}
}

// errReason is the cause of a failed post.
type errReason string

// Error returns the text for the log.
func (e errReason) Error() string { return "failed with " + string(e) }

// barred returns the failure for an account that may not post.
func barred(client *httpcall.Client, cause error) *platform.Failure {
	return client.Fail(platform.ClassUser, CodeAccount, cause,
		"TikTok has barred this account from posting. Open TikTok, resolve it there, then publish the post again.")
}

// publication returns the state of an accepted post. A post without an id yet is in review.
func (m making) publication(account platform.Account, client *httpcall.Client, base, id string) platform.Publication {
	created := platform.Publication{ExternalID: id, InReview: true}
	switch {
	case m.State == stateInInbox, m.State == stateComplete && strings.HasSuffix(id, limitedMark):
		created.InReview, created.Unconfirmed = false, true // TikTok reports nothing further about it
	case m.State == stateComplete && len(m.Posts) > 0:
		kind := "video"
		if strings.HasPrefix(id, "p_") { // such as p_pub_url~v2.123
			kind = "photo"
		}
		created = platform.Publication{ExternalID: m.Posts[0], URL: postURL(client, base, account, kind, m.Posts[0])}
	}
	return created
}

// Unnamed reports whether the external id is that of the call. TikTok may review a post for hours.
func (*Personal) Unnamed(externalID string) bool { return !videoID.MatchString(externalID) }

// Unnamed reports whether the external id is that of the call.
func (*Business) Unnamed(externalID string) bool { return !videoID.MatchString(externalID) }

// postURL returns the address of a post.
func postURL(client *httpcall.Client, base string, account platform.Account, kind, id string) string {
	name := strings.TrimPrefix(account.Username, "@")
	if name == "" {
		return ""
	}
	return client.Permalink(base + "/@" + url.PathEscape(name) + "/" + kind + "/" + id)
}

// officialPermalink is the base URL of posts.
const officialPermalink = "https://www.tiktok.com"

// permalinkOf returns the base URL of posts for an API.
func permalinkOf(api, official string) string {
	if api == official {
		return officialPermalink
	}
	return api
}

// status reads the state of a post in the making.
func (p *Personal) status(
	ctx context.Context, operation string, account platform.Account, id string,
) (making, error) {
	request := p.request(operation, account, "post", "publish", "status", "fetch")
	request.Method, request.JSON = http.MethodPost, map[string]string{"publish_id": id}
	response, err := p.client.Call(ctx, request)
	if err != nil {
		return making{}, err
	}
	var result struct {
		Status   string                         `json:"status"`
		Reason   string                         `json:"fail_reason"`
		Uploaded *int64                         `json:"uploaded_bytes"`
		Posts    httpcall.Some[json.RawMessage] `json:"publicaly_available_post_id"` // spelled so
	}
	if err := p.published(response, &result); err != nil {
		return making{}, err
	}
	if result.Status == "" {
		return making{}, p.client.Unclear(response, "no status in the response")
	}
	m := making{State: result.Status, Reason: result.Reason, Uploaded: -1, Posts: idsIn(result.Posts)}
	if result.Uploaded != nil {
		m.Uploaded = *result.Uploaded
	}
	return m, nil
}

// idsIn returns the ids of posts, which TikTok writes as numbers or as strings.
func idsIn(raw []json.RawMessage) []string {
	var ids []string
	for _, one := range raw {
		if id := strings.Trim(string(one), `"`); videoID.MatchString(id) {
			ids = append(ids, id)
		}
	}
	return ids
}
