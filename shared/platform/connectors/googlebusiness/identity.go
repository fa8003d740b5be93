package googlebusiness

import (
	"context"
	"net/url"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Identify reads the first of the location's posts. Google lists them only for users who manage the location. A user
// may manage many locations, so the token does not identify one.
func (c *Connector) Identify(ctx context.Context, account platform.Account) (platform.Identity, error) {
	posts, err := c.posts(account)
	if err != nil {
		return platform.Identity{}, err
	}
	var page *listing
	response, err := c.client.AskIdentity(ctx, httpcall.Request{
		Path: posts, Query: url.Values{"pageSize": {"1"}}, Header: bearer(account),
		Secrets: []string{account.Credentials.AccessToken},
	}, c.failure, &page)
	if err != nil {
		return platform.Identity{}, err
	}
	if page == nil {
		return platform.Identity{}, c.client.Unclear(response, "not a listing of posts")
	}
	return platform.Identity{ID: account.ExternalID}, nil
}
