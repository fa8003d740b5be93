package instagram

import (
	"context"

	"fencepost.internal/shared/platform"
)

// Identify reads the professional account of the access token. A Page's token does not name its account, but reads it.
func (c *Connector) Identify(ctx context.Context, account platform.Account) (platform.Identity, error) {
	if c = c.of(account); c.dates != nil {
		return c.api.IdentifyAt(ctx, account, account.ExternalID, "id")
	}
	return c.api.Identify(ctx, account, "user_id")
}
