package youtube

import (
	"context"
	"net/url"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Identify reads the channel of the access token.
func (c *Connector) Identify(ctx context.Context, account platform.Account) (platform.Identity, error) {
	if account.Credentials.AccessToken == "" {
		return platform.Identity{}, c.client.Reconnect(errNoToken)
	}
	var result struct {
		Items httpcall.Some[struct {
			ID      string `json:"id"`
			Snippet httpcall.Maybe[struct {
				Title string `json:"title"`
			}] `json:"snippet"`
		}] `json:"items"`
	}
	response, err := c.client.AskIdentity(ctx, httpcall.Request{
		Path: []string{"channels"}, Query: url.Values{"part": {"id,snippet"}, "mine": {"true"}}, Header: bearer(account),
		Secrets: []string{account.Credentials.AccessToken},
	}, c.failure, &result)
	if err != nil {
		return platform.Identity{}, err
	}
	if len(result.Items) == 0 {
		return c.client.Identity(response, "", "")
	}
	return c.client.Identity(response, result.Items[0].ID, result.Items[0].Snippet.Value.Title)
}
