package graph

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// tokenLife is how long a long-lived token lives when the answer does not say.
const tokenLife = 60 * 24 * time.Hour

// Refresh exchanges a long-lived token of Instagram or Threads for one with another sixty days. Both ask that the token still
// be valid and at least a day old; the old one goes on working. A refusal is classed by the network; whatever it says, a token
// that cannot be refreshed needs a person.
func Refresh(
	ctx context.Context, client *httpcall.Client, grant, token string, class func(httpcall.Response) *platform.Failure,
) (channel.Credentials, error) {
	response, err := client.Call(ctx, httpcall.Request{
		Operation: "refresh",
		Path:      []string{"refresh_access_token"},
		Query:     url.Values{"grant_type": {grant}, "access_token": {token}},
		Secrets:   []string{token},
	})
	if err != nil {
		return channel.Credentials{}, err
	}
	if !response.OK() {
		failure := class(response)
		definite := response.Status == http.StatusBadRequest || response.Status == http.StatusUnauthorized ||
			response.Status == http.StatusForbidden
		if definite && (failure.Class == platform.ClassRefresh || failure.Class == platform.ClassRejected) {
			return channel.Credentials{}, client.Reconnect(failure.Cause)
		}
		return channel.Credentials{}, failure
	}
	var answer struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
	}
	if err := response.Decode(&answer); err != nil || !httpcall.Token(answer.AccessToken) {
		return channel.Credentials{}, client.Unclear(response, "no token in the answer")
	}
	life := tokenLife
	if answer.ExpiresIn > 0 && answer.ExpiresIn < int64((10*tokenLife).Seconds()) {
		life = time.Duration(answer.ExpiresIn) * time.Second
	}
	return channel.Credentials{AccessToken: answer.AccessToken, ExpiresAt: client.Now().Add(life)}, nil
}
