package facebook

import (
	"context"
	"net/url"
	"strings"

	"fencepost.internal/shared/platform"
)

// takesComments reports whether the id is one of an object that has comments: a post, a reel or a video.
func takesComments(id string) bool { return idPattern.MatchString(id) || objectPattern.MatchString(id) }

// commitFirst publishes the first comment below a post, as the Page.
func (c *Connector) commitFirst(
	ctx context.Context, account platform.Account, content platform.Content,
) (platform.Publication, error) {
	id, err := c.comments().First(ctx, account, content, takesComments)
	if err != nil {
		return platform.Publication{}, err
	}
	return c.firstPublication(content, id, c.permalinkOf(ctx, account, id)), nil
}

// reconcileFirst searches the comments directly below the post.
func (c *Connector) reconcileFirst(
	ctx context.Context, account platform.Account, content platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	root := content.ReplyTo.RootID
	if !takesComments(root) {
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
	query := commentQuery()
	query.Set("filter", "toplevel")
	evidence, found, err := c.comments().FindFirst(ctx, account, sent, query, root)
	if evidence == platform.EvidenceFound {
		found = c.firstPublication(content, found.ExternalID, found.URL)
	}
	return evidence, found, err
}

// firstPublication returns the publication of a first comment. Without its own permalink, it has that of the post, with the
// comment marked.
func (c *Connector) firstPublication(content platform.Content, id, link string) platform.Publication {
	shown := c.client.Permalink(link)
	if shown == "" {
		own := id[strings.LastIndexByte(id, '_')+1:]
		shown = c.client.Permalink(c.permalink + "/" + url.PathEscape(content.ReplyTo.RootID) + "?" +
			url.Values{"comment_id": {own}}.Encode())
	}
	return platform.Publication{ExternalID: id, URL: shown}
}
