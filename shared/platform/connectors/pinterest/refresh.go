package pinterest

import (
	"context"
	"errors"
	"net/url"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

// Lifetimes of an access token: the default if the response does not contain it, and the maximum accepted value.
// refreshTokenLife is that of a continuous refresh token.
const (
	tokenLife        = 30 * 24 * time.Hour
	longestLife      = 2 * 365 * 24 * time.Hour
	refreshTokenLife = 60 * 24 * time.Hour
)

var errNoApp = errors.New("no id or no secret of the application is configured")

// Refresh exchanges the refresh token for a new pair. The refresh token is valid for sixty days and for a single use.
// The caller makes one refresh at a time per account, and stores the pair before using it.
func (c *Connector) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	if account.Credentials.RefreshToken == "" {
		return channel.Credentials{}, c.client.Reconnect(oauth.ErrNoRefreshToken)
	}
	if c.config.AppID == "" || c.config.AppSecret == "" {
		// Pinterest's refusal would be indistinguishable from that of an invalid refresh token.
		return channel.Credentials{}, c.appAccess(errNoApp)
	}
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {account.Credentials.RefreshToken}}
	return c.tokens().Refresh(ctx, account, c.tokenRequest(form))
}

// tokens keeps the old refresh token if a response has no new one. This applies to connections from before Pinterest's
// continuous refresh tokens.
func (c *Connector) tokens() oauth.Endpoint {
	return oauth.Endpoint{
		Client: c.client, App: c.config.AppID, Life: tokenLife, Longest: longestLife, Refused: c.refreshFailure,
	}
}

// Term returns the term of a pair of tokens that is replaced as a whole.
func (c *Connector) Term(account platform.Account) platform.Term {
	return platform.RotatingTerm(account.Credentials, refreshTokenLife)
}
