package mastodon

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

var (
	_ platform.Hosted  = (*Connector)(nil)
	_ platform.Revoker = (*Connector)(nil)
	_ platform.Remover = (*Connector)(nil)
)

// clientName is shown to the person by the server.
const clientName = "fencepost"

// Scopes returns the permissions to publish, and to read the inbox. The account itself is read with profile, or on servers that do not know that
// scope with read:accounts.
func (c *Connector) Scopes(channel.Variant) platform.Scopes {
	scopes := platform.Scopes{Needed: []string{"read:statuses", "write:statuses", "write:media"}}
	if c.reads() {
		scopes.Useful = []string{scopeNotifications}
	}
	return scopes
}

// AuthorizeURL registers this service at the server, unless it is registered, and returns the server's page.
func (c *Connector) AuthorizeURL(ctx context.Context, consent platform.Consent) (platform.Authorization, error) {
	to, err := c.at(consent.Server)
	if err != nil {
		return platform.Authorization{}, err
	}
	app, err := c.applicationAt(ctx, to, consent.Redirect)
	if err != nil {
		return platform.Authorization{}, err
	}
	authorization, err := oauth.Dialog{
		Page: to.BaseURL() + "/oauth/authorize", ClientID: app.ID, Scopes: app.Scopes, PKCE: true,
	}.URL(consent)
	if err != nil {
		return platform.Authorization{}, err
	}
	authorization.Kept, err = app.text()
	return authorization, err
}

// Exchange exchanges the code as the application that AuthorizeURL registered.
func (c *Connector) Exchange(ctx context.Context, code platform.Code) (channel.Credentials, error) {
	to, err := c.at(code.Server)
	if err != nil {
		return channel.Credentials{}, err
	}
	var app application
	if err := json.Unmarshal([]byte(code.Kept), &app); err != nil {
		return channel.Credentials{}, oauth.CodeRefused(to.Client, err)
	}
	form := oauth.Form(code)
	form.Set("client_id", app.ID)
	form.Set("client_secret", app.Secret)
	form.Set("code_verifier", code.Verifier)
	var result struct {
		AccessToken string         `json:"access_token"`
		Scope       httpcall.Scope `json:"scope"`
	}
	response, err := oauth.Exchange(ctx, to.Client, httpcall.Request{
		Path: []string{"oauth", "token"}, Form: form, Secrets: []string{code.Code, code.Verifier, app.Secret},
	}, &result)
	if err != nil {
		app.Checked = time.Time{} // the server may have deleted it
		return channel.Credentials{}, errors.Join(err, c.keep(ctx, to, code.Redirect, app))
	}
	if !httpcall.Token(result.AccessToken) {
		return channel.Credentials{}, to.Unclear(response, "no token in the response")
	}
	return channel.Credentials{
		AccessToken: result.AccessToken, IssuedAt: to.Now(), Scope: string(result.Scope), ClientID: app.ID,
		ClientSecret: app.Secret, Server: to.url,
	}, nil
}

// Accounts returns the account of the credentials. Its id contains the server.
func (c *Connector) Accounts(ctx context.Context, credentials channel.Credentials) ([]channel.Candidate, error) {
	at, err := c.at(credentials.Server)
	if err != nil {
		return nil, err
	}
	var result struct {
		ID       string `json:"id"`
		Username string `json:"username"`
		Name     string `json:"display_name"`
		Picture  string `json:"avatar"`
	}
	response, err := at.AskIdentity(ctx, httpcall.Request{
		Path: []string{"api", "v1", "accounts", "verify_credentials"}, Secrets: []string{credentials.AccessToken},
		Header: http.Header{"Authorization": {"Bearer " + credentials.AccessToken}},
	}, func(response httpcall.Response) *platform.Failure { return failure(at.Client, response) }, &result)
	if err != nil {
		return nil, err
	}
	if result.ID == "" {
		return nil, at.Unclear(response, "no account in the response")
	}
	return []channel.Candidate{{
		Type: channel.Mastodon, ExternalID: at.host() + "/" + result.ID, Name: result.Name,
		Username: result.Username + "@" + at.host(), AvatarURL: at.Permalink(result.Picture), Credentials: credentials,
	}}, nil
}

// Revoke invalidates the account's token, as the application that got it. Older connections do not have its secret.
func (c *Connector) Revoke(ctx context.Context, account platform.Account) error {
	s, err := c.open(account)
	if err != nil {
		return err
	}
	held := account.Credentials
	if held.ClientSecret == "" {
		return errNoSecret
	}
	return oauth.Revoke(ctx, s.Client, httpcall.Request{
		Path: []string{"oauth", "revoke"}, Secrets: []string{held.AccessToken, held.ClientSecret},
		Form: url.Values{"token": {held.AccessToken}, "client_id": {held.ClientID}, "client_secret": {held.ClientSecret}},
	})
}

// Removal returns what a person does at the server if the token was not revoked.
func (*Connector) Removal() string {
	return "To end it, open Preferences, Account, Authorized apps on your server, and revoke " + clientName + "."
}

// Configured returns true: this service registers itself at every server.
func (*Connector) Configured(channel.Variant) bool { return true }

// RevokesConsent returns false: Revoke ends the tokens of the account alone.
func (*Connector) RevokesConsent() bool { return false }
