package instagram

import (
	"context"
	"net/url"
	"strconv"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
)

// commitFirst publishes the first comment below a post. Instagram has no addresses of comments.
func (c *Connector) commitFirst(
	ctx context.Context, account platform.Account, content platform.Content,
) (platform.Publication, error) {
	if err := c.api.Check(account); err != nil {
		return platform.Publication{}, err
	}
	id, err := c.comments(account).First(ctx, account, content, graph.ID)
	return platform.Publication{ExternalID: id}, err
}

// reconcileFirst searches the comments directly below the post.
func (c *Connector) reconcileFirst(
	ctx context.Context, account platform.Account, content platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	root := content.ReplyTo.RootID
	if !graph.ID(root) {
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
	if err := c.api.Check(account); err != nil {
		return platform.EvidenceUnclear, platform.Publication{}, err
	}
	query := url.Values{"fields": {commentFields}, "limit": {strconv.Itoa(pageSize)}}
	return c.comments(account).FindFirst(ctx, account, sent, query, root)
}
