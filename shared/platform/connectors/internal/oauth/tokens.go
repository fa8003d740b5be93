package oauth

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// ErrNoRefreshToken is the cause of a failure of an account that cannot be renewed.
var ErrNoRefreshToken = errors.New("the channel has no refresh token")

// Tokens is the response of a token endpoint (RFC 6749, sections 5.1 and 5.2), with the members that networks add.
type Tokens struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	ExpiresIn    int64  `json:"expires_in"`
	Error        string `json:"error"`

	Scope httpcall.Scope `json:"scope"`
	// The life of the refresh token, which has another name at TikTok for Developers.
	RefreshTokenExpiresIn httpcall.Seconds `json:"refresh_token_expires_in"`
	RefreshExpiresIn      httpcall.Seconds `json:"refresh_expires_in"`
}

// Endpoint is a token endpoint of a network.
type Endpoint struct {
	Client *httpcall.Client
	App    string // the client id of the application
	// Life is the lifetime of an access token if the response does not contain a valid one, which is at most Longest.
	Life, Longest time.Duration
	// Refused classifies the refusal of a refresh.
	Refused func(httpcall.Response, Tokens) *platform.Failure
}

// Credentials returns the credentials in a response. It keeps the old refresh token if the response has none.
func (e Endpoint) Credentials(old channel.Credentials, tokens Tokens) channel.Credentials {
	life := e.Life
	if tokens.ExpiresIn > 0 && tokens.ExpiresIn <= int64(e.Longest.Seconds()) {
		life = time.Duration(tokens.ExpiresIn) * time.Second
	}
	now := e.Client.Now()
	fresh := channel.Credentials{
		AccessToken: tokens.AccessToken, RefreshToken: old.RefreshToken, IssuedAt: now, ExpiresAt: now.Add(life),
		RefreshExpiresAt: e.Client.EndOf(cmp.Or(tokens.RefreshTokenExpiresIn, tokens.RefreshExpiresIn)),
		Scope:            string(tokens.Scope), ClientID: e.App,
	}
	if httpcall.Token(tokens.RefreshToken) {
		fresh.RefreshToken = tokens.RefreshToken
	}
	return fresh
}

// Exchange exchanges the code in a request.
func (e Endpoint) Exchange(ctx context.Context, request httpcall.Request) (channel.Credentials, error) {
	var tokens Tokens
	response, err := Exchange(ctx, e.Client, request, &tokens)
	if err != nil {
		return channel.Credentials{}, err
	}
	return e.received(channel.Credentials{}, response, tokens)
}

// Refresh exchanges the refresh token of the account, which is in the request.
func (e Endpoint) Refresh(
	ctx context.Context, account platform.Account, request httpcall.Request,
) (channel.Credentials, error) {
	request.Operation, request.Method = "refresh", http.MethodPost
	request.Secrets = append(request.Secrets, account.Credentials.AccessToken, account.Credentials.RefreshToken)
	response, err := e.Client.Call(ctx, request)
	if err != nil {
		return channel.Credentials{}, err
	}
	var tokens Tokens
	readable := response.Decode(&tokens) == nil
	if !response.OK() || tokens.Error != "" {
		return channel.Credentials{}, e.Refused(response, tokens)
	}
	if !readable {
		tokens = Tokens{}
	}
	return e.received(account.Credentials, response, tokens)
}

func (e Endpoint) received(old channel.Credentials, response httpcall.Response, tokens Tokens) (channel.Credentials, error) {
	if !httpcall.Token(tokens.AccessToken) {
		return channel.Credentials{}, e.Client.Unclear(response, "no token in the response")
	}
	return e.Credentials(old, tokens), nil
}

// Refusal classifies a refused refresh. Only the response of RFC 6749 §5.2 ends the connection: a proxy in front of the
// network also responds with these statuses. The time is the end of a rate limit, and app the failure of an application that
// is refused.
func (e Endpoint) Refusal(
	response httpcall.Response, tokens Tokens, until time.Time, app func(cause error) *platform.Failure,
) *platform.Failure {
	cause := response.Cause("refresh refused")
	switch status := response.Status; {
	case tokens.Error == "invalid_client", tokens.Error == "unauthorized_client":
		return app(cause)
	case status == http.StatusTooManyRequests:
		return e.Client.RateLimited(until, cause)
	case tokens.Error != "" && (status == http.StatusBadRequest || status == http.StatusUnauthorized ||
		status == http.StatusForbidden):
		return e.Client.Reconnect(cause)
	default:
		return e.Client.Unclear(response, "no clear refusal")
	}
}
