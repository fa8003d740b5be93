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

// tokenLife is the lifetime of a long-lived token if the response does not contain it.
const tokenLife = 60 * 24 * time.Hour

// Refresh exchanges a long-lived token of Instagram or Threads for one that is valid for another sixty days. Both
// networks require that the token is still valid and at least a day old. The old token remains valid. The class
// function classifies a refusal, but a definite refusal of the token always needs a user.
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
		return channel.Credentials{}, client.Unclear(response, "no token in the response")
	}
	life := tokenLife
	if answer.ExpiresIn > 0 && answer.ExpiresIn < int64((10*tokenLife).Seconds()) {
		life = time.Duration(answer.ExpiresIn) * time.Second
	}
	return channel.Credentials{AccessToken: answer.AccessToken, ExpiresAt: client.Now().Add(life)}, nil
}
