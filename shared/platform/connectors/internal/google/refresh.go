package google

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

// OfficialTokenURL is Google's token endpoint.
const OfficialTokenURL = "https://oauth2.googleapis.com/token" //nolint:gosec // a URL, not a credential

// accessTokenLife is the lifetime of an access token if the response does not contain it.
const accessTokenLife = time.Hour

// TokensConfig holds the token endpoint and the client's credentials.
type TokensConfig struct {
	Wire         httpcall.Config // of the API that the tokens are for
	URL          string          // the token endpoint; OfficialTokenURL if empty
	ClientID     string          // of the OAuth 2.0 client
	ClientSecret string
	// AppRefused returns the failure for a refusal of this service's OAuth client.
	AppRefused func(cause error) *platform.Failure
}

// Tokens refreshes access tokens. It is safe for concurrent use.
type Tokens struct {
	client *httpcall.Client // of the token endpoint, which has its own host
	path   []string
	config TokensConfig
}

// NewTokens returns Tokens for the configured endpoint. It splits the URL into the client's base URL and the path of
// its only call.
func NewTokens(config TokensConfig) (*Tokens, error) {
	config.URL = cmp.Or(config.URL, OfficialTokenURL)
	at := strings.LastIndexByte(config.URL, '/')
	base, name := config.URL[:max(at, 0)], config.URL[at+1:]
	if name == "" || url.PathEscape(name) != name {
		return nil, errors.New("must end in a path without a query")
	}
	config.Wire.BaseURL = base
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, err
	}
	return &Tokens{client: client, path: []string{name}, config: config}, nil
}

// Refresh exchanges the refresh token for a fresh access token. The refresh token remains valid and can be reused.
func (t *Tokens) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	if account.Credentials.RefreshToken == "" {
		return channel.Credentials{}, t.client.Reconnect(oauth.ErrNoRefreshToken)
	}
	return t.endpoint().Refresh(ctx, account, httpcall.Request{
		Path: t.path,
		Form: url.Values{
			"grant_type": {"refresh_token"}, "refresh_token": {account.Credentials.RefreshToken},
			"client_id": {t.config.ClientID}, "client_secret": {t.config.ClientSecret},
		},
		Secrets: []string{t.config.ClientSecret},
	})
}

// endpoint returns the token endpoint. A refresh token has an end only if the user limited the access in time.
func (t *Tokens) endpoint() oauth.Endpoint {
	return oauth.Endpoint{
		Client: t.client, App: t.config.ClientID, Life: accessTokenLife, Longest: 24 * time.Hour, Refused: t.refreshFailure,
	}
}

// Term returns the term of a refresh token that remains valid while it is used.
func (t *Tokens) Term(account platform.Account) platform.Term {
	return platform.OnUseTerm(account.Credentials)
}

// refreshFailure classifies an OAuth error response (RFC 6749 §5.2).
func (t *Tokens) refreshFailure(response httpcall.Response, result oauth.Tokens) *platform.Failure {
	cause := response.Cause("refresh refused")
	if response.Status == http.StatusTooManyRequests {
		return t.client.RateLimited(Until(t.client, response, Error{}), cause)
	}
	if response.Status < 400 || response.Status >= 500 || response.Status == http.StatusRequestTimeout {
		return t.client.Unclear(response, "no clear refusal")
	}
	switch result.Error {
	case "":
		return t.client.Unclear(response, "not in the network's own form")
	case "invalid_client", "unauthorized_client", "deleted_client", "disabled_client", "invalid_request", "unsupported_grant_type":
		return t.config.AppRefused(cause)
	default: // invalid_grant, and restrictions of an organization on its members
		return t.client.Reconnect(cause)
	}
}

// OfficialAuthorizeURL is Google's authorization page.
const OfficialAuthorizeURL = "https://accounts.google.com/o/oauth2/v2/auth"

// AuthorizeURL returns the page at which a person decides. Only with prompt=consent does a repeated consent bring a
// refresh token.
func (t *Tokens) AuthorizeURL(consent platform.Consent, scopes platform.Scopes) (platform.Authorization, error) {
	if err := oauth.App(t.client, t.config.ClientID, t.config.ClientSecret); err != nil {
		return platform.Authorization{}, err
	}
	page := OfficialAuthorizeURL
	if t.config.URL != OfficialTokenURL { // a server that replaces Google
		page = t.client.BaseURL() + "/o/oauth2/v2/auth"
	}
	return oauth.Dialog{
		Page: page, ClientID: t.config.ClientID, Scopes: scopes.All(), PKCE: true, More: map[string]string{
			"access_type": "offline", "prompt": "consent", "include_granted_scopes": "true",
		},
	}.URL(consent)
}

// Exchange exchanges the code of a consent.
func (t *Tokens) Exchange(ctx context.Context, code platform.Code) (channel.Credentials, error) {
	form := oauth.Form(code)
	form.Set("client_id", t.config.ClientID)
	form.Set("client_secret", t.config.ClientSecret)
	form.Set("code_verifier", code.Verifier)
	return t.endpoint().Exchange(ctx, httpcall.Request{
		Path: t.path, Form: form, Secrets: []string{code.Code, code.Verifier, t.config.ClientSecret},
	})
}

// Revoke ends the access of the account's tokens. The refresh token ends the access tokens too.
func (t *Tokens) Revoke(ctx context.Context, held channel.Credentials) error {
	secret := cmp.Or(held.RefreshToken, held.AccessToken)
	return oauth.Revoke(ctx, t.client, httpcall.Request{
		Path: []string{"revoke"}, Form: url.Values{"token": {secret}}, Secrets: []string{secret},
	})
}

// Configured reports whether the operator has configured an application.
func (t *Tokens) Configured() bool { return t.config.ClientID != "" && t.config.ClientSecret != "" }
