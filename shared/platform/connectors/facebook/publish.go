package facebook

import (
	"context"
	"net/http"
	"net/url"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

type created struct {
	ID string `json:"id"`
}

// Commit publishes the text on the Page. After Facebook has confirmed the publication, no later error fails the call:
// if the permalink cannot be read, it is built from the id.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, content platform.Content, _ platform.Handle,
) (platform.Publication, error) {
	if !usable(account) {
		return platform.Publication{}, c.client.Reconnect(errNoToken)
	}
	if len(content.Media) > 0 {
		return platform.Publication{}, c.client.Fail(platform.ClassRejected, CodeMedia, nil,
			"This service does not support images and videos on Facebook yet. Remove them, then publish the post again.")
	}
	response, err := c.client.CommitCall(ctx, httpcall.Request{
		Operation: "publish",
		Method:    http.MethodPost,
		Path:      []string{c.version, account.ExternalID, "feed"},
		Form:      url.Values{"message": {content.Text}, "access_token": {account.Credentials.AccessToken}},
		Secrets:   []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return platform.Publication{}, err
	}
	if !response.OK() {
		return platform.Publication{}, c.failure(response)
	}
	var made created
	if err := response.Decode(&made); err != nil || !idPattern.MatchString(made.ID) {
		return platform.Publication{}, c.client.Unclear(response, "success without the post's id")
	}
	return c.publication(made.ID, c.permalinkOf(ctx, account, made.ID)), nil
}

// permalinkOf reads the post's own permalink. It returns an empty string if the call fails or times out.
func (c *Connector) permalinkOf(ctx context.Context, account platform.Account, id string) string {
	ctx, cancel := context.WithTimeout(ctx, permalinkTimeout)
	defer cancel()
	response, err := c.get(ctx, "permalink", account, url.Values{"fields": {"permalink_url"}}, id)
	if err != nil || !response.OK() {
		return ""
	}
	var found listed
	if err := response.Decode(&found); err != nil || found.ID != id {
		return ""
	}
	return found.Permalink
}

// publication returns the publication of the post. Facebook redirects from an id to its post, so there is a URL even
// without the post's own permalink.
func (c *Connector) publication(id, link string) platform.Publication {
	shown := c.client.Permalink(link)
	if shown == "" {
		shown = c.client.Permalink(c.permalink + "/" + url.PathEscape(id))
	}
	return platform.Publication{ExternalID: id, URL: shown}
}
