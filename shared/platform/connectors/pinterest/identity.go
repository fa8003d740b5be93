package pinterest

import (
	"context"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Identify reads the user of the access token. A channel's external id is the user name.
func (c *Connector) Identify(ctx context.Context, account platform.Account) (platform.Identity, error) {
	if account.Credentials.AccessToken == "" {
		return platform.Identity{}, c.client.Reconnect(errNoToken)
	}
	var result struct {
		Username string `json:"username"`
	}
	response, err := c.client.AskIdentity(ctx, httpcall.Request{
		Path: []string{version, "user_account"}, Header: bearer(account), Secrets: []string{account.Credentials.AccessToken},
	}, c.failure, &result)
	if err != nil {
		return platform.Identity{}, err
	}
	return c.client.Identity(response, result.Username, result.Username)
}
