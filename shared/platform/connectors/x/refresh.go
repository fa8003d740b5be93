package x

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

const (
	// accessTokenLife is the lifetime of an access token if the response does not contain it.
	accessTokenLife = 2 * time.Hour
	// refreshTokenLife is the assumed lifetime of a refresh token that is not used. X documents none; half a year is
	// reported (unconfirmed), so that a quarter is safe.
	refreshTokenLife = 90 * 24 * time.Hour
)

type tokenResponse struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	ExpiresIn    int64  `json:"expires_in"`
	Error        string `json:"error"`

	Scope httpcall.Scope `json:"scope"`
}

// Refresh exchanges the refresh token for a new pair. The old refresh token is invalid immediately. The caller makes
// one refresh at a time per account, and stores the pair before using it.
func (c *Connector) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	if account.Credentials.RefreshToken == "" {
		return channel.Credentials{}, c.client.Reconnect(errors.New("the channel has no refresh token"))
	}
	request := httpcall.Request{
		Operation: "refresh",
		Method:    http.MethodPost,
		Path:      []string{"2", "oauth2", "token"},
		Form:      url.Values{"grant_type": {"refresh_token"}, "refresh_token": {account.Credentials.RefreshToken}},
		Secrets:   []string{account.Credentials.AccessToken, account.Credentials.RefreshToken},
	}
	c.authenticate(&request)
	response, err := c.client.Call(ctx, request)
	if err != nil {
		return channel.Credentials{}, err
	}
	var result tokenResponse
	readable := response.Decode(&result) == nil
	if !response.OK() {
		return channel.Credentials{}, c.refreshFailure(response, result)
	}
	if !readable || result.AccessToken == "" {
		return channel.Credentials{}, c.client.Unclear(response, "no tokens in the response")
	}
	return c.credentials(account, result), nil
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

// refreshFailure classifies a refused refresh. Only the response of RFC 6749 §5.2 ends the connection: a proxy in front of
// the network also responds with these statuses.
func (c *Connector) refreshFailure(response httpcall.Response, result tokenResponse) *platform.Failure {
	cause := response.Cause("refresh refused")
	switch status := response.Status; {
	case result.Error == "invalid_client", result.Error == "unauthorized_client":
		return c.client.Fail(platform.ClassOperator, CodeAppAccess, cause,
			"X does not accept this service's own credentials. Its operator has to act; then publish the post again.")
	case status == http.StatusTooManyRequests:
		return c.client.RateLimited(c.until(response.Header), cause)
	case result.Error != "" && (status == http.StatusBadRequest || status == http.StatusUnauthorized || status == http.StatusForbidden):
		return c.client.Reconnect(cause)
	default:
		return c.client.Unclear(response, "no clear refusal")
	}
}

func (c *Connector) credentials(account platform.Account, response tokenResponse) channel.Credentials {
	now := c.client.Now()
	fresh := channel.Credentials{
		AccessToken: response.AccessToken, RefreshToken: response.RefreshToken, IssuedAt: now,
		ExpiresAt: now.Add(accessTokenLife), Scope: string(response.Scope), ClientID: c.config.ClientID,
	}
	if fresh.RefreshToken == "" {
		fresh.RefreshToken = account.Credentials.RefreshToken
	}
	if response.ExpiresIn > 0 && response.ExpiresIn < int64((365*24*time.Hour).Seconds()) {
		fresh.ExpiresAt = now.Add(time.Duration(response.ExpiresIn) * time.Second)
	}
	return fresh
}
