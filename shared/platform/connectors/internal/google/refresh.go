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

var errNoRefreshToken = errors.New("the channel has no refresh token")

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
	if config.URL == "" {
		config.URL = OfficialTokenURL
	}
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

type tokenResponse struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	ExpiresIn    int64  `json:"expires_in"`
	Error        string `json:"error"`

	RefreshExpiresIn httpcall.Seconds `json:"refresh_token_expires_in"` // only if the user limited the access in time
	Scope            httpcall.Scope   `json:"scope"`
}

// Refresh exchanges the refresh token for a fresh access token. The refresh token remains valid and can be reused.
func (t *Tokens) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	if account.Credentials.RefreshToken == "" {
		return channel.Credentials{}, t.client.Reconnect(errNoRefreshToken)
	}
	response, err := t.client.Call(ctx, httpcall.Request{
		Operation: "refresh",
		Method:    http.MethodPost,
		Path:      t.path,
		Form: url.Values{
			"grant_type": {"refresh_token"}, "refresh_token": {account.Credentials.RefreshToken},
			"client_id": {t.config.ClientID}, "client_secret": {t.config.ClientSecret},
		},
		Secrets: []string{account.Credentials.AccessToken, account.Credentials.RefreshToken, t.config.ClientSecret},
	})
	if err != nil {
		return channel.Credentials{}, err
	}
	var result tokenResponse
	readable := response.Decode(&result) == nil
	if !response.OK() {
		return channel.Credentials{}, t.refreshFailure(response, result)
	}
	if !readable || !httpcall.Token(result.AccessToken) {
		return channel.Credentials{}, t.client.Unclear(response, "no token in the response")
	}
	return t.credentials(account, result), nil
}

// Term returns the term of a refresh token that remains valid while it is used.
func (t *Tokens) Term(account platform.Account) platform.Term {
	return platform.OnUseTerm(account.Credentials)
}

// refreshFailure classifies an OAuth error response (RFC 6749 §5.2).
func (t *Tokens) refreshFailure(response httpcall.Response, result tokenResponse) *platform.Failure {
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

func (t *Tokens) credentials(account platform.Account, response tokenResponse) channel.Credentials {
	const day = 24 * time.Hour
	now := t.client.Now()
	fresh := channel.Credentials{
		AccessToken: response.AccessToken, RefreshToken: account.Credentials.RefreshToken,
		IssuedAt: now, ExpiresAt: now.Add(accessTokenLife), RefreshExpiresAt: t.client.EndOf(response.RefreshExpiresIn),
		Scope: string(response.Scope), ClientID: t.config.ClientID,
	}
	if httpcall.Token(response.RefreshToken) {
		fresh.RefreshToken = response.RefreshToken
	}
	if response.ExpiresIn > 0 && response.ExpiresIn <= int64(day.Seconds()) {
		fresh.ExpiresAt = now.Add(time.Duration(response.ExpiresIn) * time.Second)
	}
	return fresh
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
	var result tokenResponse
	response, err := oauth.Exchange(ctx, t.client, httpcall.Request{
		Path: t.path, Form: form, Secrets: []string{code.Code, code.Verifier, t.config.ClientSecret},
	}, &result)
	if err != nil {
		return channel.Credentials{}, err
	}
	if !httpcall.Token(result.AccessToken) {
		return channel.Credentials{}, t.client.Unclear(response, "no token in the response")
	}
	return t.credentials(platform.Account{}, result), nil
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
