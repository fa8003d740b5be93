package linkedin

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// accessTokenLife is the lifetime of an access token if the response does not contain it.
const accessTokenLife = 60 * 24 * time.Hour

var (
	errNoRefreshToken = errors.New("the channel has no refresh token")
	errNoClient       = errors.New("no client id or no client secret is configured")
)

type tokenAnswer struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	ExpiresIn    int64  `json:"expires_in"`
	Error        string `json:"error"`
}

// Refresh exchanges the refresh token for a new access token. LinkedIn issues refresh tokens only to approved partners.
// Each expires a year after the user's consent, regardless of use. Without one, a user must reconnect the channel.
func (c *Connector) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	if account.Credentials.RefreshToken == "" {
		return channel.Credentials{}, c.web.Reconnect(errNoRefreshToken)
	}
	if c.config.ClientID == "" || c.config.ClientSecret == "" {
		return channel.Credentials{}, c.appRefused(errNoClient)
	}
	response, err := c.web.Call(ctx, httpcall.Request{
		Operation: "refresh",
		Method:    http.MethodPost,
		Path:      []string{"oauth", "v2", "accessToken"},
		Form: url.Values{
			"grant_type": {"refresh_token"}, "refresh_token": {account.Credentials.RefreshToken},
			"client_id": {c.config.ClientID}, "client_secret": {c.config.ClientSecret},
		},
		Secrets: []string{account.Credentials.AccessToken, account.Credentials.RefreshToken, c.config.ClientSecret},
	})
	if err != nil {
		return channel.Credentials{}, err
	}
	var answer tokenAnswer
	readable := response.Decode(&answer) == nil
	if !response.OK() {
		return channel.Credentials{}, c.refreshFailure(response, answer)
	}
	if !readable || answer.AccessToken == "" {
		return channel.Credentials{}, c.web.Unclear(response, "no token in the response")
	}
	return c.credentials(account, answer), nil
}

func (c *Connector) appRefused(cause error) *platform.Failure {
	return c.web.Fail(platform.ClassOperator, CodeAppAccess, cause,
		"LinkedIn does not accept this service's own credentials. Its operator has to act; then publish the post again.")
}

func (c *Connector) refreshFailure(response httpcall.Response, answer tokenAnswer) *platform.Failure {
	cause := response.Cause("refresh refused")
	switch status := response.Status; {
	case answer.Error == "invalid_client", answer.Error == "unauthorized_client":
		return c.appRefused(cause)
	case status == http.StatusTooManyRequests:
		p, _ := problemOf(response)
		return c.web.RateLimited(c.until(response.Header, p), cause)
	case status == http.StatusBadRequest, status == http.StatusUnauthorized, status == http.StatusForbidden:
		return c.web.Reconnect(cause)
	default:
		return c.web.Unclear(response, "no clear refusal")
	}
}

func (c *Connector) credentials(account platform.Account, answer tokenAnswer) channel.Credentials {
	const year = 365 * 24 * time.Hour
	fresh := channel.Credentials{
		AccessToken:  answer.AccessToken,
		RefreshToken: answer.RefreshToken,
		ExpiresAt:    c.web.Now().Add(accessTokenLife),
	}
	if fresh.RefreshToken == "" {
		fresh.RefreshToken = account.Credentials.RefreshToken
	}
	if answer.ExpiresIn > 0 && answer.ExpiresIn <= int64(year.Seconds()) {
		fresh.ExpiresAt = c.web.Now().Add(time.Duration(answer.ExpiresIn) * time.Second)
	}
	return fresh
}
