package threads

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/wire"
)

// tokenLife is how long a long-lived token lives when the answer does not say.
const tokenLife = 60 * 24 * time.Hour

type tokenAnswer struct {
	AccessToken string `json:"access_token"`
	ExpiresIn   int64  `json:"expires_in"`
}

// Refresh exchanges the long-lived token for one with another sixty days. Threads asks that the token still be valid
// and at least a day old; the old one goes on working.
func (c *Connector) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	token := account.Credentials.AccessToken
	if token == "" {
		return channel.Credentials{}, c.client.Reconnect(errNoToken)
	}
	response, err := c.client.Call(ctx, wire.Request{
		Operation: "refresh",
		Path:      []string{"refresh_access_token"},
		Query:     url.Values{"grant_type": {"th_refresh_token"}, "access_token": {token}},
		Secrets:   []string{token},
	})
	if err != nil {
		return channel.Credentials{}, err
	}
	if !response.OK() {
		return channel.Credentials{}, c.refreshFailure(response)
	}
	var answer tokenAnswer
	if err := response.Decode(&answer); err != nil || answer.AccessToken == "" {
		return channel.Credentials{}, c.client.Unclear(response, "no token in the answer")
	}
	life := tokenLife
	if answer.ExpiresIn > 0 && answer.ExpiresIn < int64((10*tokenLife).Seconds()) {
		life = time.Duration(answer.ExpiresIn) * time.Second
	}
	return channel.Credentials{AccessToken: answer.AccessToken, ExpiresAt: c.client.Now().Add(life)}, nil
}

// refreshFailure: a token that cannot be refreshed needs a person, whatever the words are.
func (c *Connector) refreshFailure(response wire.Response) *platform.Failure {
	failure := c.failure(response)
	definite := response.Status == http.StatusBadRequest || response.Status == http.StatusUnauthorized ||
		response.Status == http.StatusForbidden
	if definite && (failure.Class == platform.ClassRefresh || failure.Class == platform.ClassRejected) {
		return c.client.Reconnect(failure.Cause)
	}
	return failure
}
