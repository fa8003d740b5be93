package tiktok

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

// Lifetimes of tokens if the response does not contain one, and the longest that is believed.
const (
	personalTokenLife = 2 * time.Hour
	businessTokenLife = 24 * time.Hour
	longestTokenLife  = 365 * 24 * time.Hour
	refreshTokenLife  = 180 * 24 * time.Hour // of either product, the shorter of the documented ones
)

// Refresh exchanges the refresh token for a new pair. The old refresh token is invalid immediately. The caller makes
// one refresh at a time per account, and stores the pair before using it.
func (p *Personal) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	if account.Credentials.RefreshToken == "" {
		return channel.Credentials{}, p.client.Reconnect(oauth.ErrNoRefreshToken)
	}
	if p.config.ClientKey == "" || p.config.ClientSecret == "" {
		return channel.Credentials{}, appAccess(p.client, errNoApp)
	}
	return p.tokens().Refresh(ctx, account, httpcall.Request{
		Path:      []string{personalVersion, "oauth", "token"},
		PathSlash: true,
		Form: url.Values{
			"grant_type": {"refresh_token"}, "refresh_token": {account.Credentials.RefreshToken},
			"client_key": {p.config.ClientKey}, "client_secret": {p.config.ClientSecret},
		},
		Secrets: []string{p.config.ClientSecret},
	})
}

func (p *Personal) tokens() oauth.Endpoint {
	return oauth.Endpoint{
		Client: p.client, App: p.config.ClientKey, Life: personalTokenLife, Longest: longestTokenLife, Refused: p.refreshFailure,
	}
}

// Term returns the term of a pair of tokens that is replaced as a whole.
func (p *Personal) Term(account platform.Account) platform.Term {
	return platform.RotatingTerm(account.Credentials, refreshTokenLife)
}

// refreshFailure classifies an error response of the token endpoint (RFC 6749 §5.2).
func (p *Personal) refreshFailure(response httpcall.Response, result oauth.Tokens) *platform.Failure {
	code := result.Error
	cause := response.Cause("refresh refused with " + printed(code))
	switch status := response.Status; {
	case code == "invalid_client", code == "unauthorized_client", code == "unsupported_grant_type":
		return appAccess(p.client, cause)
	case code == "rate_limit_exceeded", status == http.StatusTooManyRequests:
		return p.client.RateLimited(until(p.client, response.Header, minuteWait), cause)
	case code == "invalid_grant", code == "access_denied", code == "invalid_request", code == "invalid_scope":
		return p.client.Reconnect(cause)
	case code != "" && (status == http.StatusBadRequest || status == http.StatusUnauthorized ||
		status == http.StatusForbidden):
		return p.client.Reconnect(cause)
	default:
		return p.client.Unclear(response, "no token, and no clear refusal: "+printed(code))
	}
}

// Refresh exchanges the refresh token for a new pair. The caller makes one refresh at a time per account, and stores
// the pair before using it.
func (b *Business) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	credentials := account.Credentials
	if credentials.RefreshToken == "" {
		return channel.Credentials{}, b.client.Reconnect(oauth.ErrNoRefreshToken)
	}
	if b.config.AppID == "" || b.config.Secret == "" {
		return channel.Credentials{}, appAccess(b.client, errNoApp)
	}
	response, err := b.client.Call(ctx, httpcall.Request{
		Operation: "refresh",
		Method:    http.MethodPost,
		Path:      []string{"open_api", businessVersion, "tt_user", "oauth2", "refresh_token"},
		PathSlash: true,
		JSON: map[string]string{
			"client_id": b.config.AppID, "client_secret": b.config.Secret,
			"grant_type": "refresh_token", "refresh_token": credentials.RefreshToken,
		},
		Secrets: []string{credentials.AccessToken, credentials.RefreshToken, b.config.Secret},
	})
	if err != nil {
		return channel.Credentials{}, err
	}
	result, readable := businessResponseOf(response)
	if !readable || !response.OK() || result.code() != 0 {
		return channel.Credentials{}, b.refreshFailure(response, result)
	}
	var fresh oauth.Tokens
	if json.Unmarshal(result.Data, &fresh) != nil || !httpcall.Token(fresh.AccessToken) {
		return channel.Credentials{}, b.client.Unclear(response, "no token in the response")
	}
	return b.tokens().Credentials(credentials, fresh), nil
}

func (b *Business) tokens() oauth.Endpoint {
	return oauth.Endpoint{Client: b.client, App: b.config.AppID, Life: businessTokenLife, Longest: longestTokenLife}
}

// Term returns the term of a pair of tokens that is replaced as a whole.
func (b *Business) Term(account platform.Account) platform.Term {
	return platform.RotatingTerm(account.Credentials, refreshTokenLife)
}

// refreshFailure classifies an error response to a refresh. A refused refresh token needs a user, regardless of the
// code.
func (b *Business) refreshFailure(response httpcall.Response, result businessResponse) *platform.Failure {
	code := result.code()
	cause := response.Cause("refresh refused with " + strconv.Itoa(code))
	switch status := response.Status; {
	case code == codeTooMany, status == http.StatusTooManyRequests:
		return b.client.RateLimited(until(b.client, response.Header, businessLimitWait), cause)
	case code == codeApp:
		return appAccess(b.client, cause)
	case code >= firstRefusal && code < firstFault && status < 500:
		return b.client.Reconnect(cause)
	default:
		return b.client.Unclear(response, "no clear refusal: "+strconv.Itoa(code))
	}
}
