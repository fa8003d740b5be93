package x

import (
	"context"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Identify reads the user of the access token.
func (c *Connector) Identify(ctx context.Context, account platform.Account) (platform.Identity, error) {
	if account.Credentials.AccessToken == "" {
		return platform.Identity{}, c.client.Reconnect(errNoToken)
	}
	var result struct {
		Data struct {
			ID       string `json:"id"`
			Username string `json:"username"`
		} `json:"data"`
	}
	response, err := c.client.AskIdentity(ctx, httpcall.Request{
		Path: []string{"2", "users", "me"}, Header: bearer(account), Secrets: []string{account.Credentials.AccessToken},
	}, c.failure, &result)
	if err != nil {
		return platform.Identity{}, err
	}
	return c.client.Identity(response, result.Data.ID, result.Data.Username)
}
