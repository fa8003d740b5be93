package instagram

import (
	"context"

	"socialpub.internal/shared/platform"
)

// Identify reads the professional account of the access token.
func (c *Connector) Identify(ctx context.Context, account platform.Account) (platform.Identity, error) {
	return c.api.Identify(ctx, account, "user_id")
}
