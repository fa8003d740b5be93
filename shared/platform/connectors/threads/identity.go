package threads

import (
	"context"

	"fencepost.internal/shared/platform"
)

// Identify reads the profile of the access token.
func (c *Connector) Identify(ctx context.Context, account platform.Account) (platform.Identity, error) {
	return c.api.Identify(ctx, account, "id")
}
