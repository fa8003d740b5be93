package googlebusiness

import (
	"context"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
)

// Refresh exchanges the refresh token for a fresh access token. The refresh token remains valid and can be reused.
func (c *Connector) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	return c.tokens.Refresh(ctx, account)
}

// Term returns the term of a refresh token that remains valid while it is used.
func (c *Connector) Term(account platform.Account) platform.Term { return c.tokens.Term(account) }
