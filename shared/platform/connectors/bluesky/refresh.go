package bluesky

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Lifetimes of tokens of the reference server. A token states its own, which is used if it can be read.
const (
	accessLife  = 2 * time.Hour
	refreshLife = 90 * 24 * time.Hour
)

// Refresh exchanges the refresh token for a new pair (com.atproto.server.refreshSession). Logging in again would count
// against a limit of 300 a day, and needs the password, which this service does not store.
func (c *Connector) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	given := account.Credentials
	if given.RefreshToken == "" {
		return channel.Credentials{}, c.client.Reconnect(errors.New("the channel has no refresh token"))
	}
	client, err := c.servers.Of(account)
	if err != nil {
		return channel.Credentials{}, err
	}
	response, err := client.Call(ctx, withToken("com.atproto.server.refreshSession", given.RefreshToken, httpcall.Request{
		Operation: "refresh", Method: http.MethodPost, Secrets: []string{given.AccessToken},
	}))
	if err != nil {
		return channel.Credentials{}, err
	}
	if !response.OK() {
		return channel.Credentials{}, refreshFailure(client, response)
	}
	var fresh struct {
		DID     string `json:"did"`
		Access  string `json:"accessJwt"`
		Refresh string `json:"refreshJwt"`
	}
	if response.Decode(&fresh) != nil || !httpcall.Token(fresh.Access) || !httpcall.Token(fresh.Refresh) ||
		account.ExternalID != "" && fresh.DID != account.ExternalID {
		return channel.Credentials{}, client.Unclear(response, "no tokens of the account in the response")
	}
	now := client.Now()
	return channel.Credentials{
		AccessToken: fresh.Access, RefreshToken: fresh.Refresh, IssuedAt: now, Server: given.Server,
		ExpiresAt: end(fresh.Access, now, accessLife), RefreshExpiresAt: end(fresh.Refresh, now, refreshLife),
	}, nil
}

// refreshFailure classifies a refusal to renew. Every clear refusal of a refresh token is final.
func refreshFailure(client *httpcall.Client, response httpcall.Response) *platform.Failure {
	refused := failure(client, response)
	switch refused.Class {
	case platform.ClassRefresh, platform.ClassRejected, platform.ClassUser:
		return client.Reconnect(refused.Cause)
	case platform.ClassTransient, platform.ClassRateLimited, platform.ClassReconnect, platform.ClassOperator,
		platform.ClassUnknown:
	}
	return refused
}

// Term returns the term of a pair of tokens that is replaced as a whole.
func (c *Connector) Term(account platform.Account) platform.Term {
	return platform.RotatingTerm(account.Credentials, refreshLife)
}

// end returns the end of a token: that of its claim exp (RFC 7519), without a check of its signature, or the usual
// lifetime if the token cannot be read or states an end that is over or more than a year away.
func end(token string, now time.Time, usual time.Duration) time.Time {
	const longest = 366 * 24 * time.Hour
	var claims struct {
		Expires int64 `json:"exp"`
	}
	if parts := strings.Split(token, "."); len(parts) == 3 { //nolint:mnd // header, claims, signature
		if raw, err := base64.RawURLEncoding.DecodeString(parts[1]); err == nil {
			_ = json.Unmarshal(raw, &claims) // an unreadable claim is missing
		}
	}
	at := time.Unix(claims.Expires, 0).UTC()
	if at.Before(now) || at.After(now.Add(longest)) {
		return now.Add(usual)
	}
	return at
}
