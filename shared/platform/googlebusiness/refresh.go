package googlebusiness

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/wire"
)

// accessTokenLife is how long Google's access tokens live when the answer does not say.
const accessTokenLife = time.Hour

var errNoRefreshToken = errors.New("the channel has no refresh token")

type tokenAnswer struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	ExpiresIn    int64  `json:"expires_in"`
	Error        string `json:"error"`
}

// Refresh exchanges the refresh token for a fresh access token. The refresh token itself stays as it is, and may be used as
// often as one likes.
func (c *Connector) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	if account.Credentials.RefreshToken == "" {
		return channel.Credentials{}, c.tokens.Reconnect(errNoRefreshToken)
	}
	response, err := c.tokens.Call(ctx, wire.Request{
		Operation: "refresh",
		Method:    http.MethodPost,
		Path:      c.tokenPath,
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
	if !readable || !wire.Token(answer.AccessToken) {
		return channel.Credentials{}, c.tokens.Unclear(response, "no token in the answer")
	}
	return c.credentials(account, answer), nil
}

// refreshFailure classes a refusal in OAuth's words (RFC 6749 §5.2).
func (c *Connector) refreshFailure(response wire.Response, answer tokenAnswer) *platform.Failure {
	cause := response.Cause("refresh refused")
	if response.Status == http.StatusTooManyRequests {
		return c.tokens.RateLimited(c.until(response, apiError{}), cause)
	}
	if response.Status < 400 || response.Status >= 500 || response.Status == http.StatusRequestTimeout {
		return c.tokens.Unclear(response, "no clear refusal")
	}
	switch answer.Error {
	case "":
		return c.tokens.Unclear(response, "not in the network's own form")
	case "invalid_client", "unauthorized_client", "deleted_client", "disabled_client", "invalid_request", "unsupported_grant_type":
		return c.appRefused(cause)
	default: // invalid_grant, and what an organisation forbids its members
		return c.tokens.Reconnect(cause)
	}
}

func (c *Connector) credentials(account platform.Account, answer tokenAnswer) channel.Credentials {
	const day = 24 * time.Hour
	fresh := channel.Credentials{
		AccessToken:  answer.AccessToken,
		RefreshToken: account.Credentials.RefreshToken,
		ExpiresAt:    c.tokens.Now().Add(accessTokenLife),
	}
	if wire.Token(answer.RefreshToken) {
		fresh.RefreshToken = answer.RefreshToken
	}
	if answer.ExpiresIn > 0 && answer.ExpiresIn <= int64(day.Seconds()) {
		fresh.ExpiresAt = c.tokens.Now().Add(time.Duration(answer.ExpiresIn) * time.Second)
	}
	return fresh
}
