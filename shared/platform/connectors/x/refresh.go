package x

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

const (
	// accessTokenLife is the lifetime of an access token if the response does not contain it.
	accessTokenLife = 2 * time.Hour
	// refreshTokenLife is the assumed lifetime of a refresh token that is not used. X documents none; half a year is
	// reported (unconfirmed), so that a quarter is safe.
	refreshTokenLife = 90 * 24 * time.Hour
)

// Refresh exchanges the refresh token for a new pair. The old refresh token is invalid immediately. The caller makes
// one refresh at a time per account, and stores the pair before using it.
func (c *Connector) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	if account.Credentials.RefreshToken == "" {
		return channel.Credentials{}, c.client.Reconnect(oauth.ErrNoRefreshToken)
	}
	request := httpcall.Request{
		Path: []string{"2", "oauth2", "token"},
		Form: url.Values{"grant_type": {"refresh_token"}, "refresh_token": {account.Credentials.RefreshToken}},
	}
	c.authenticate(&request)
	return c.tokens().Refresh(ctx, account, request)
}

func (c *Connector) tokens() oauth.Endpoint {
	return oauth.Endpoint{
		Client: c.client, App: c.config.ClientID, Life: accessTokenLife, Longest: 365 * 24 * time.Hour, Refused: c.refreshFailure,
	}
}

// Term returns the term of a pair of tokens that is replaced as a whole.
func (c *Connector) Term(account platform.Account) platform.Term {
	return platform.RotatingTerm(account.Credentials, refreshTokenLife)
}

// authenticate adds this service's client credentials: the secret of a confidential client, or only the id of a public
// one.
func (c *Connector) authenticate(request *httpcall.Request) {
	if c.config.ClientSecret == "" {
		request.Form.Set("client_id", c.config.ClientID)
		return
	}
	// RFC 6749 §2.3.1: both parts are form-encoded before they are joined.
	pair := url.QueryEscape(c.config.ClientID) + ":" + url.QueryEscape(c.config.ClientSecret)
	basic := base64.StdEncoding.EncodeToString([]byte(pair))
	request.Header = http.Header{"Authorization": {"Basic " + basic}}
	request.Secrets = append(request.Secrets, c.config.ClientSecret, basic)
}

// refreshFailure classifies a refused refresh.
func (c *Connector) refreshFailure(response httpcall.Response, tokens oauth.Tokens) *platform.Failure {
	return c.tokens().Refusal(response, tokens, c.until(response.Header), func(cause error) *platform.Failure {
		return c.client.Fail(platform.ClassOperator, CodeAppAccess, cause,
			"X does not accept this service's own credentials. Its operator has to act; then publish the post again.")
	})
}
