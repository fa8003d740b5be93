package mastodon

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

type createBody struct {
	Status     string   `json:"status"`
	Media      []string `json:"media_ids,omitempty"`
	Visibility string   `json:"visibility"`
	ReplyTo    string   `json:"in_reply_to_id,omitempty"`

	settings
}

// status is a post of Mastodon (docs.joinmastodon.org/entities/Status).
type status struct {
	ID        string    `json:"id"`
	URL       string    `json:"url"`
	Content   string    `json:"content"` // HTML
	CreatedAt time.Time `json:"created_at"`
	ReplyTo   string    `json:"in_reply_to_id"`
	Media     []struct {
		ID string `json:"id"`
	} `json:"media_attachments"`

	figures
}

// Commit creates the status. The key makes a repeated call return the first status, for an hour.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Publication, error) {
	s, err := c.open(account)
	if err != nil {
		return platform.Publication{}, err
	}
	ids, ready := stateOf(handle, content.Media, time.Time{}).ids()
	if !ready {
		return platform.Publication{}, s.Fail(platform.ClassTransient, platform.CodeMediaNotUploaded, errNotPrepared,
			"The attachments of the post are not uploaded to Mastodon.")
	}
	parent, err := s.parent(content.ReplyTo)
	if err != nil {
		return platform.Publication{}, err
	}
	response, err := s.CommitCall(ctx, s.authorized(httpcall.Request{
		Operation: "publish", Method: http.MethodPost,
		Header: http.Header{"Idempotency-Key": {content.PostID.String()}},
		JSON: createBody{
			Status: content.Text, Media: ids, Visibility: cmp.Or(content.Options.Visibility, visiblePublic), ReplyTo: parent,
			settings: settingsOf(content.Options),
		},
	}, "v1", "statuses"))
	if err != nil {
		return platform.Publication{}, err
	}
	if !response.OK() {
		return platform.Publication{}, s.refused(response, content.ReplyTo)
	}
	var created status
	if response.Decode(&created) != nil || !idPattern.MatchString(created.ID) {
		return platform.Publication{}, s.Unclear(response, "success without the post's id")
	}
	return s.publication(created), nil
}

func (s session) publication(created status) platform.Publication {
	return platform.Publication{ExternalID: created.ID, URL: s.Permalink(created.URL)}
}
