package pinterest

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Lifetimes of an access token: the default if the response does not contain it, and the maximum accepted value.
// refreshTokenLife is that of a continuous refresh token.
const (
	tokenLife        = 30 * 24 * time.Hour
	longestLife      = 2 * 365 * 24 * time.Hour
	refreshTokenLife = 60 * 24 * time.Hour
)

var (
	errNoRefreshToken = errors.New("the channel has no refresh token")
	errNoApp          = errors.New("no id or no secret of the application is configured")
)

type tokenResponse struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	ExpiresIn    int64  `json:"expires_in"`

	RefreshExpiresIn httpcall.Seconds `json:"refresh_token_expires_in"`
	Scope            httpcall.Scope   `json:"scope"`
}

// Refresh exchanges the refresh token for a new pair. The refresh token is valid for sixty days and for a single use.
// The caller makes one refresh at a time per account, and stores the pair before using it.
func (c *Connector) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	credentials := account.Credentials
	if credentials.RefreshToken == "" {
		return channel.Credentials{}, c.client.Reconnect(errNoRefreshToken)
	}
	if c.config.AppID == "" || c.config.AppSecret == "" {
		// Pinterest's refusal would be indistinguishable from that of an invalid refresh token.
		return channel.Credentials{}, c.appAccess(errNoApp)
	}
	basic := base64.StdEncoding.EncodeToString([]byte(c.config.AppID + ":" + c.config.AppSecret))
	response, err := c.client.Call(ctx, httpcall.Request{
		Operation: "refresh",
		Method:    http.MethodPost,
		Path:      []string{version, "oauth", "token"},
		Header:    http.Header{"Authorization": {"Basic " + basic}},
		Form:      url.Values{"grant_type": {"refresh_token"}, "refresh_token": {credentials.RefreshToken}},
		Secrets:   []string{credentials.AccessToken, credentials.RefreshToken, c.config.AppSecret, basic},
	})
	if err != nil {
		return channel.Credentials{}, err
	}
	if !response.OK() {
		return channel.Credentials{}, c.refreshFailure(response)
	}
	var result tokenResponse
	if err := response.Decode(&result); err != nil || !httpcall.Token(result.AccessToken) {
		return channel.Credentials{}, c.client.Unclear(response, "no token in the response")
	}
	return c.fresh(credentials, result), nil
}

// Term returns the term of a pair of tokens that is replaced as a whole.
func (c *Connector) Term(account platform.Account) platform.Term {
	return platform.RotatingTerm(account.Credentials, refreshTokenLife)
}

// fresh keeps the old refresh token if the response has no new one. This applies to connections from before Pinterest's
// continuous refresh tokens.
func (c *Connector) fresh(old channel.Credentials, response tokenResponse) channel.Credentials {
	life := tokenLife
	if response.ExpiresIn > 0 && response.ExpiresIn < int64(longestLife.Seconds()) {
		life = time.Duration(response.ExpiresIn) * time.Second
	}
	now := c.client.Now()
	fresh := channel.Credentials{
		AccessToken: response.AccessToken, RefreshToken: old.RefreshToken, IssuedAt: now, ExpiresAt: now.Add(life),
		RefreshExpiresAt: c.client.EndOf(response.RefreshExpiresIn), Scope: string(response.Scope), ClientID: c.config.AppID,
	}
	if httpcall.Token(response.RefreshToken) {
		fresh.RefreshToken = response.RefreshToken
	}
	return fresh
}
