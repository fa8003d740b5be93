package linkedin

import (
	"context"
	"errors"
	"net/url"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

// accessTokenLife is the lifetime of an access token if the response does not contain it.
const accessTokenLife = 60 * 24 * time.Hour

var (
	errNoClient    = errors.New("no client id or no client secret is configured")
	errOtherClient = errors.New("the application that the channel was connected with is not configured")
)

// Refresh exchanges the refresh token for a new access token. LinkedIn issues refresh tokens only to approved partners.
// Each expires a year after the user's consent, regardless of use. Without one, a user must reconnect the channel.
func (c *Connector) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	if account.Credentials.RefreshToken == "" {
		return channel.Credentials{}, c.web.Reconnect(oauth.ErrNoRefreshToken)
	}
	app, err := c.app(account.Credentials.ClientID)
	if err != nil {
		return channel.Credentials{}, c.appRefused(err)
	}
	return c.tokens(app).Refresh(ctx, account, httpcall.Request{
		Path: []string{"oauth", "v2", "accessToken"},
		Form: url.Values{
			"grant_type": {"refresh_token"}, "refresh_token": {account.Credentials.RefreshToken},
			"client_id": {app.ClientID}, "client_secret": {app.ClientSecret},
		},
		Secrets: []string{app.ClientSecret},
	})
}

func (c *Connector) tokens(app App) oauth.Endpoint {
	return oauth.Endpoint{
		Client: c.web, App: app.ClientID, Life: accessTokenLife, Longest: 365 * 24 * time.Hour, Refused: c.refreshFailure,
	}
}

// app returns the application with the client id, or the usual one if the id is empty.
func (c *Connector) app(id string) (App, error) {
	for _, app := range append([]App{{c.config.ClientID, c.config.ClientSecret}}, c.config.OtherApps...) {
		if id != "" && app.ClientID != id {
			continue
		}
		if app.ClientID == "" || app.ClientSecret == "" {
			return App{}, errNoClient
		}
		return app, nil
	}
	return App{}, errOtherClient
}

// The last renewals of a connection: of the access token before its end, and of the access token before the refresh
// token ends.
const (
	beforeEnd        = 7 * 24 * time.Hour
	beforeRefreshEnd = 24 * time.Hour
)

// Term returns the term of a connection that lasts a year with a refresh token, and as long as its access token
// without one. A refresh never extends the life of the refresh token
// (https://learn.microsoft.com/en-us/linkedin/shared/authentication/programmatic-refresh-tokens).
func (c *Connector) Term(account platform.Account) platform.Term {
	held := account.Credentials
	if held.RefreshToken == "" {
		return platform.FixedTerm(held)
	}
	expires := held.ExpiresAt
	if expires.IsZero() {
		expires = held.Known().Add(accessTokenLife)
	}
	term := platform.Term{RenewBefore: expires.Add(-beforeEnd), EndsAt: held.RefreshExpiresAt}
	last := held.RefreshExpiresAt.Add(-beforeRefreshEnd)
	switch {
	case held.RefreshExpiresAt.IsZero() || term.RenewBefore.Before(last):
	case held.Known().Before(last):
		term.RenewBefore = last
	default: // renewed for the last time
		term = platform.Term{RenewBefore: expires, EndsAt: expires}
	}
	return term
}

func (c *Connector) appRefused(cause error) *platform.Failure {
	return c.web.Fail(platform.ClassOperator, CodeAppAccess, cause,
		"LinkedIn does not accept this service's own credentials. Its operator has to act; then publish the post again.")
}

// refreshFailure classifies a refused refresh.
func (c *Connector) refreshFailure(response httpcall.Response, tokens oauth.Tokens) *platform.Failure {
	p, _ := problemOf(response)
	return c.tokens(App{}).Refusal(response, tokens, c.until(response.Header, p), c.appRefused)
}
