package facebook

import (
	"context"
	"net/http"
	"net/url"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Identify reads the Page of the access token. For a user's token Facebook returns the user instead, whose id differs
// from the Page's.
func (c *Connector) Identify(ctx context.Context, account platform.Account) (platform.Identity, error) {
	token := account.Credentials.AccessToken
	if token == "" {
		return platform.Identity{}, c.client.Reconnect(errNoToken)
	}
	var result struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	response, err := c.client.AskIdentity(ctx, httpcall.Request{
		Path: []string{c.version, "me"}, Query: url.Values{"fields": {"id,name"}},
		Header: http.Header{"Authorization": {"Bearer " + token}}, Secrets: []string{token},
	}, c.failure, &result)
	if err != nil {
		return platform.Identity{}, err
	}
	return c.client.Identity(response, result.ID, result.Name)
}
