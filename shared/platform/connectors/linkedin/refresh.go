package linkedin

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// accessTokenLife is the lifetime of an access token if the response does not contain it.
const accessTokenLife = 60 * 24 * time.Hour

var (
	errNoRefreshToken = errors.New("the channel has no refresh token")
	errNoClient       = errors.New("no client id or no client secret is configured")
	errOtherClient    = errors.New("the application that the channel was connected with is not configured")
)

type tokenResponse struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	ExpiresIn    int64  `json:"expires_in"`
	Error        string `json:"error"`

	RefreshExpiresIn httpcall.Seconds `json:"refresh_token_expires_in"`
	Scope            httpcall.Scope   `json:"scope"`
}

// Refresh exchanges the refresh token for a new access token. LinkedIn issues refresh tokens only to approved partners.
// Each expires a year after the user's consent, regardless of use. Without one, a user must reconnect the channel.
func (c *Connector) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	if account.Credentials.RefreshToken == "" {
		return channel.Credentials{}, c.web.Reconnect(errNoRefreshToken)
	}
	app, err := c.app(account.Credentials.ClientID)
	if err != nil {
		return channel.Credentials{}, c.appRefused(err)
	}
	response, err := c.web.Call(ctx, httpcall.Request{
		Operation: "refresh",
		Method:    http.MethodPost,
		Path:      []string{"oauth", "v2", "accessToken"},
		Form: url.Values{
			"grant_type": {"refresh_token"}, "refresh_token": {account.Credentials.RefreshToken},
			"client_id": {app.ClientID}, "client_secret": {app.ClientSecret},
		},
		Secrets: []string{account.Credentials.AccessToken, account.Credentials.RefreshToken, app.ClientSecret},
	})
	if err != nil {
		return channel.Credentials{}, err
	}
	var result tokenResponse
	readable := response.Decode(&result) == nil
	if !response.OK() {
		return channel.Credentials{}, c.refreshFailure(response, result)
	}
	if !readable || result.AccessToken == "" {
		return channel.Credentials{}, c.web.Unclear(response, "no token in the response")
	}
	return c.credentials(account, app, result), nil
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

// refreshFailure classifies a refused refresh. Only the response of RFC 6749 §5.2 ends the connection: a proxy in front of
// the network also responds with these statuses.
func (c *Connector) refreshFailure(response httpcall.Response, result tokenResponse) *platform.Failure {
	cause := response.Cause("refresh refused")
	switch status := response.Status; {
	case result.Error == "invalid_client", result.Error == "unauthorized_client":
		return c.appRefused(cause)
	case status == http.StatusTooManyRequests:
		p, _ := problemOf(response)
		return c.web.RateLimited(c.until(response.Header, p), cause)
	case result.Error != "" && (status == http.StatusBadRequest || status == http.StatusUnauthorized || status == http.StatusForbidden):
		return c.web.Reconnect(cause)
	default:
		return c.web.Unclear(response, "no clear refusal")
	}
}

func (c *Connector) credentials(account platform.Account, app App, response tokenResponse) channel.Credentials {
	const year = 365 * 24 * time.Hour
	now := c.web.Now()
	fresh := channel.Credentials{
		AccessToken: response.AccessToken, RefreshToken: response.RefreshToken, IssuedAt: now,
		ExpiresAt: now.Add(accessTokenLife), RefreshExpiresAt: c.web.EndOf(response.RefreshExpiresIn),
		Scope: string(response.Scope), ClientID: app.ClientID,
	}
	if fresh.RefreshToken == "" {
		fresh.RefreshToken = account.Credentials.RefreshToken
	}
	if response.ExpiresIn > 0 && response.ExpiresIn <= int64(year.Seconds()) {
		fresh.ExpiresAt = now.Add(time.Duration(response.ExpiresIn) * time.Second)
	}
	return fresh
}
