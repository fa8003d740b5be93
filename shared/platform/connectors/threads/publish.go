package threads

import (
	"context"
	"net/url"
	"strconv"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
)

// pageSize is the number of the account's posts per page.
const pageSize = 100

// Commit publishes the container. After Threads has confirmed the publication, no later error fails the call: if the
// permalink cannot be read, it is empty.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Publication, error) {
	return c.apiFor(content).Commit(ctx, account, handle)
}

// Reconcile reads the container's status. If it was published, Reconcile searches the account's posts, or its replies, for it.
func (c *Connector) Reconcile(
	ctx context.Context, account platform.Account, content platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	if isLong(content) {
		sent.Text = shown(content)
	}
	return c.api.Reconcile(ctx, account, sent, func(ctx context.Context, after string) (graph.ContainerPage, error) {
		query := url.Values{
			"fields": {"id,text,permalink,timestamp,media_type"},
			"since":  {strconv.FormatInt(sent.Earliest().Unix(), 10)},
			"until":  {strconv.FormatInt(sent.Latest().Unix(), 10)},
			"limit":  {strconv.Itoa(pageSize)},
		}
		if after != "" {
			query.Set("after", after)
		}
		if content.ReplyTo != nil {
			return c.replies(ctx, account, query, content.ReplyTo.ParentID)
		}
		return c.api.Page(ctx, account, query, "me", "threads")
	})
}

// Refresh exchanges the long-lived token for one that is valid for another sixty days.
func (c *Connector) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	return c.api.Refresh(ctx, account, "th_refresh_token")
}

// Term returns the term of the long-lived token, which is renewed every week.
func (c *Connector) Term(account platform.Account) platform.Term { return c.api.Term(account) }
