package graph

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

const (
	// tokenLife is the lifetime of a long-lived token if the response does not contain it.
	tokenLife = 60 * 24 * time.Hour
	// renewEvery is the age at which a long-lived token is renewed. Fifty-three days are left for further tries.
	renewEvery = 7 * 24 * time.Hour
	// youngest is the least age of a token that Meta renews, a day, with an hour for clocks that differ.
	youngest = 25 * time.Hour
)

// LongLivedTerm returns the term of a long-lived token of Instagram or Threads. Both networks renew it only while it is
// valid and at least a day old
// (https://developers.facebook.com/documentation/instagram-platform/reference/refresh_access_token.md).
func LongLivedTerm(c channel.Credentials) platform.Term {
	issued := c.IssuedAt
	if issued.IsZero() && !c.ExpiresAt.IsZero() { // its age follows from its end
		issued = c.ExpiresAt.Add(-tokenLife)
	}
	due := issued.Add(renewEvery)
	if issued.IsZero() { // it is at least as old as this service knows it
		due = c.StoredAt.Add(youngest)
	}
	if due.Before(c.StoredAt) {
		due = c.StoredAt
	}
	if latest := c.ExpiresAt.Add(-youngest); !c.ExpiresAt.IsZero() && due.After(latest) { // a short-lived one
		due = latest
	}
	return platform.Term{RenewBefore: due, EndsAt: c.ExpiresAt, Extends: true}
}

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
	var result struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
	}
	if err := response.Decode(&result); err != nil || !httpcall.Token(result.AccessToken) {
		return channel.Credentials{}, client.Unclear(response, "no token in the response")
	}
	life := tokenLife
	if result.ExpiresIn > 0 && result.ExpiresIn < int64((10*tokenLife).Seconds()) {
		life = time.Duration(result.ExpiresIn) * time.Second
	}
	now := client.Now()
	return channel.Credentials{AccessToken: result.AccessToken, IssuedAt: now, ExpiresAt: now.Add(life)}, nil
}
