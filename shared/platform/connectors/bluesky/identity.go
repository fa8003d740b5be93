package bluesky

import (
	"context"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// current is the response of com.atproto.server.getSession.
type current struct {
	DID      string `json:"did"`
	Handle   string `json:"handle"`
	Document struct {
		Services httpcall.Some[struct {
			ID       string `json:"id"`
			Endpoint string `json:"serviceEndpoint"`
		}] `json:"service"`
	} `json:"didDoc"`
}

// Identify reads the account of the access token.
func (c *Connector) Identify(ctx context.Context, account platform.Account) (platform.Identity, error) {
	s, err := c.open(account)
	if err != nil {
		return platform.Identity{}, err
	}
	var found current
	response, err := s.AskIdentity(ctx, s.authorized("com.atproto.server.getSession", httpcall.Request{}),
		func(response httpcall.Response) *platform.Failure { return failure(s.Client, response) }, &found)
	if err != nil {
		return platform.Identity{}, err
	}
	return s.Identity(response, found.DID, found.Handle)
}
