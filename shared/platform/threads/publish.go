package threads

import (
	"context"
	"net/url"

	"socialpub.internal/shared/platform"
)

type media struct {
	ID        string `json:"id"`
	Permalink string `json:"permalink"`
}

// Commit publishes the container. Once Threads has said yes, nothing can undo it: the permalink is read as far as
// that goes, and stays empty otherwise.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, _ platform.Content, handle platform.Handle,
) (platform.Publication, error) {
	if !usable(account) {
		return platform.Publication{}, c.client.Reconnect(errNoToken)
	}
	if !idPattern.MatchString(string(handle)) {
		return platform.Publication{}, c.client.Unavailable(errNoHandle) // nothing to publish: prepare first
	}
	form := url.Values{"creation_id": {string(handle)}}
	response, err := c.client.CommitCall(ctx, c.form("publish", account, form, account.ExternalID, "threads_publish"))
	if err != nil {
		return platform.Publication{}, err
	}
	if !response.OK() {
		return platform.Publication{}, c.failure(response)
	}
	var published media
	if err := response.Decode(&published); err != nil || !idPattern.MatchString(published.ID) {
		return platform.Publication{}, c.client.Unclear(response, "success without the post's id")
	}
	return platform.Publication{ExternalID: published.ID, URL: c.permalinkOf(ctx, account, published.ID)}, nil
}

func (c *Connector) permalinkOf(ctx context.Context, account platform.Account, id string) string {
	ctx, cancel := context.WithTimeout(ctx, permalinkTimeout)
	defer cancel()
	response, err := c.get(ctx, "permalink", account, url.Values{"fields": {"id,permalink"}}, id)
	if err != nil || !response.OK() {
		return ""
	}
	var found media
	if err := response.Decode(&found); err != nil || found.ID != id {
		return ""
	}
	return c.client.Permalink(found.Permalink)
}
