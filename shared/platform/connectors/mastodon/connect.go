package mastodon

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
	"socialpub.internal/shared/platform/connectors/internal/oauth"
)

var (
	_ platform.Connecter = (*Connector)(nil)
	_ platform.Revoker   = (*Connector)(nil)
	_ platform.Remover   = (*Connector)(nil)
)

// application is a client that this service registered at a server. It is kept with the attempt to connect, and then with
// the credentials: a server accepts the revocation of a token only from its client.
type application struct {
	ID     string   `json:"client_id"`
	Secret string   `json:"client_secret"`
	Scopes []string `json:"requested,omitempty"`

	until time.Time
}

// applicationLife is the time for which attempts to connect share an application. Servers delete one without tokens after
// a day.
const applicationLife = 12 * time.Hour

// clientName is shown to the person by the server.
const clientName = "socialpub"

// Scopes returns the permissions to publish. The account itself is read with profile, or on servers that do not know that
// scope with read:accounts.
func (c *Connector) Scopes(channel.Variant) platform.Scopes {
	return platform.Scopes{Needed: []string{"read:statuses", "write:statuses", "write:media"}}
}

// scopesAt returns the scopes to ask a server for. Servers before 4.3 and other software refuse every request that has
// the scope profile, and do not publish their scopes (RFC 8414).
func (c *Connector) scopesAt(ctx context.Context, client *httpcall.Client) ([]string, error) {
	response, err := client.Call(ctx, httpcall.Request{
		Operation: "connect", Path: []string{".well-known", "oauth-authorization-server"},
	})
	if err != nil {
		return nil, err
	}
	var server struct {
		Scopes []string `json:"scopes_supported"`
	}
	if response.Status >= http.StatusInternalServerError {
		return nil, failure(client, response)
	}
	account := "read:accounts"
	if response.OK() && response.Decode(&server) == nil && slices.Contains(server.Scopes, "profile") {
		account = "profile"
	}
	return append([]string{account}, c.Scopes("").All()...), nil
}

// at returns the client of a server.
func (c *Connector) at(server string) (*httpcall.Client, error) {
	return c.servers.Of(platform.Account{Credentials: channel.Credentials{Server: server}})
}

// AuthorizeURL registers this service at the server, unless it is registered, and returns the server's page.
func (c *Connector) AuthorizeURL(ctx context.Context, consent platform.Consent) (platform.Authorization, error) {
	client, err := c.at(consent.Server)
	if err != nil {
		return platform.Authorization{}, err
	}
	app, err := c.applicationAt(ctx, client, consent.Redirect)
	if err != nil {
		return platform.Authorization{}, err
	}
	authorization, err := oauth.Dialog{
		Page: client.BaseURL() + "/oauth/authorize", ClientID: app.ID, Scopes: app.Scopes, PKCE: true,
	}.URL(consent)
	if err != nil {
		return platform.Authorization{}, err
	}
	kept, err := json.Marshal(app) //nolint:gosec // G117: the caller encrypts it
	authorization.Kept = string(kept)
	return authorization, err
}

// applicationAt returns this service's application at the server. It registers one if this process has none.
func (c *Connector) applicationAt(ctx context.Context, client *httpcall.Client, redirect string) (application, error) {
	key := [2]string{client.BaseURL(), redirect}
	c.mu.Lock()
	app, known := c.applications[key]
	c.mu.Unlock()
	if known && client.Now().Before(app.until) {
		return app, nil
	}
	scopes, err := c.scopesAt(ctx, client)
	if err != nil {
		return application{}, err
	}
	response, err := oauth.Exchange(ctx, client, httpcall.Request{
		Path: []string{"api", "v1", "apps"}, Form: url.Values{
			"client_name": {clientName}, "redirect_uris": {redirect}, "scopes": {strings.Join(scopes, " ")},
		},
	}, &app)
	if err != nil {
		return application{}, err
	}
	if !httpcall.Token(app.ID) || !httpcall.Token(app.Secret) {
		return application{}, client.Unclear(response, "no application in the response")
	}
	app.Scopes, app.until = scopes, client.Now().Add(applicationLife)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.applications[key] = app
	return app, nil
}

// drop removes the application that a server does not accept any more.
func (c *Connector) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.applications, func(_ [2]string, app application) bool { return app.ID == id })
}

// Exchange exchanges the code as the application that AuthorizeURL registered.
func (c *Connector) Exchange(ctx context.Context, code platform.Code) (channel.Credentials, error) {
	client, err := c.at(code.Server)
	if err != nil {
		return channel.Credentials{}, err
	}
	var app application
	if err := json.Unmarshal([]byte(code.Kept), &app); err != nil {
		return channel.Credentials{}, oauth.CodeRefused(client, err)
	}
	form := oauth.Form(code)
	form.Set("client_id", app.ID)
	form.Set("client_secret", app.Secret)
	form.Set("code_verifier", code.Verifier)
	var answer struct {
		AccessToken string         `json:"access_token"`
		Scope       httpcall.Scope `json:"scope"`
	}
	response, err := oauth.Exchange(ctx, client, httpcall.Request{
		Path: []string{"oauth", "token"}, Form: form, Secrets: []string{code.Code, code.Verifier, app.Secret},
	}, &answer)
	if err != nil {
		c.drop(app.ID)
		return channel.Credentials{}, err
	}
	if !httpcall.Token(answer.AccessToken) {
		return channel.Credentials{}, client.Unclear(response, "no token in the response")
	}
	return channel.Credentials{
		AccessToken: answer.AccessToken, IssuedAt: client.Now(), Scope: string(answer.Scope), ClientID: app.ID,
		ClientSecret: app.Secret, Server: code.Server,
	}, nil
}

// Accounts returns the account of the credentials. Its id contains the server.
func (c *Connector) Accounts(ctx context.Context, credentials channel.Credentials) ([]platform.Candidate, error) {
	client, err := c.at(credentials.Server)
	if err != nil {
		return nil, err
	}
	var answer struct {
		ID       string `json:"id"`
		Username string `json:"username"`
		Name     string `json:"display_name"`
		Picture  string `json:"avatar"`
	}
	response, err := client.AskIdentity(ctx, httpcall.Request{
		Path: []string{"api", "v1", "accounts", "verify_credentials"}, Secrets: []string{credentials.AccessToken},
		Header: http.Header{"Authorization": {"Bearer " + credentials.AccessToken}},
	}, func(response httpcall.Response) *platform.Failure { return failure(client, response) }, &answer)
	if err != nil {
		return nil, err
	}
	if answer.ID == "" {
		return nil, client.Unclear(response, "no account in the response")
	}
	host := strings.TrimPrefix(cmp.Or(credentials.Server, c.usualServer()), "https://")
	return []platform.Candidate{{
		Type: channel.Mastodon, ExternalID: host + "/" + answer.ID, Name: answer.Name, Username: answer.Username,
		AvatarURL: client.Permalink(answer.Picture), Owner: host, Credentials: credentials,
	}}, nil
}

// usualServer returns the URL of the server of accounts that name none. The sandbox network has a name of its own.
func (c *Connector) usualServer() string {
	if c.oneServer {
		return "https://" + sandboxHost
	}
	return c.client.BaseURL()
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
